/// A reason why a visit failed, other than an error of the server. It is recorded as a `problem`.
public enum VisitProblem: Sendable, Equatable {
    /// `window` has neither Turbo nor Turbolinks.
    case turboMissing
    /// The document loaded, but no adapter reported whether Turbo is ready.
    case adapterMissing
    /// Turbo is ready, but the page did not report `pageLoaded`.
    case pageLoadedMissing
    /// A call of the adapter threw, or the page had gone.
    case evaluationFailed(String)
    /// The document did not load, so that no page is left to navigate.
    case pageLost(String)

    /// The problem's code in the traffic log.
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
        case .turboMissing: "The page has neither window.Turbo nor window.Turbolinks, so its visit fails."
        case .adapterMissing: "The page did not report whether Turbo is ready, so no adapter runs in it."
        case .pageLoadedMissing: "Turbo is ready, but the page did not report pageLoaded, so its visit fails."
        case .evaluationFailed(let error):
            "Calling Turbo in the page failed: \(error) The web view loads the URL instead."
        case .pageLost(let error): "The document did not load: \(error)"
        }
    }

    var hint: String {
        switch self {
        case .turboMissing:
            """
            Check that Turbo's script loads and sets window.Turbo. With a bundler, write \
            import { Turbo } from "@hotwired/turbo-rails" and window.Turbo = Turbo.
            """
        case .adapterMissing:
            """
            The page's console shows what stopped web/turbo.js, such as a Content-Security-Policy or an adapter of the page's own.
            """
        case .pageLoadedMissing: "An adapter posts pageLoaded after the next repaint. Check that the tab is in front."
        case .evaluationFailed: "Check that the page still has window.turboNative and window.Turbo."
        case .pageLost:
            "The browser shows its own error page. Start the web app and reload the tab."
        }
    }
}
