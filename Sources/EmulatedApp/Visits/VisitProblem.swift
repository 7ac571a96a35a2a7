/// Why a visit came to nothing, where no server is to blame: what is recorded as a `problem`.
public enum VisitProblem: Sendable, Equatable {
    /// Neither Turbo nor Turbolinks showed up on `window`.
    case turboMissing
    /// The document is there, and its adapter never said whether Turbo is ready.
    case adapterMissing
    /// Turbo is ready, and the page never reported `pageLoaded`.
    case pageLoadedMissing
    /// A call of the adapter threw, or the page was gone.
    case evaluationFailed(String)
    /// The document did not come, so that no page is there to be sent on.
    case pageLost(String)

    /// One word for programs.
    var code: String {
        switch self {
        case .turboMissing: "turboMissing"
        case .adapterMissing: "adapterMissing"
        case .pageLoadedMissing: "pageLoadedMissing"
        case .evaluationFailed: "visitEvaluationFailed"
        case .pageLost: "pageLost"
        }
    }

    var text: String {
        switch self {
        case .turboMissing: "The page has neither window.Turbo nor window.Turbolinks: its visit fails."
        case .adapterMissing: "The page never said whether Turbo is ready: no adapter runs in it."
        case .pageLoadedMissing: "Turbo is ready, and the page never reported pageLoaded: its visit does not end."
        case .evaluationFailed(let error):
            "Turbo in the page could not be told to visit: \(error) The URL is loaded instead."
        case .pageLost(let error): "The document did not come: \(error)"
        }
    }

    var hint: String {
        switch self {
        case .turboMissing:
            """
            Look whether Turbo's script loads, and sets window.Turbo: with a bundler, import { Turbo } from "@hotwired/turbo-rails" \
            and window.Turbo = Turbo.
            """
        case .adapterMissing:
            "Look into the page's console for what stopped web/turbo.js, such as a Content-Security-Policy, or an adapter of the page's own."
        case .pageLoadedMissing: "An adapter posts pageLoaded after the next repaint. Look whether the tab is in front."
        case .evaluationFailed: "Look whether the page still has window.turboNative and window.Turbo."
        case .pageLost:
            "The browser shows an error of its own. Start the web app, and load its page again in the tab."
        }
    }
}
