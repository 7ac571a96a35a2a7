import BridgeProtocol

/// A reason why a visit failed, other than an error of the server. It is recorded as a `problem`.
public enum VisitProblem: Sendable, Equatable {
    /// `window` has neither Turbo nor Turbolinks.
    case turboMissing
    /// Turbo is there, but came too late for the adapter.
    /// - Parameter seconds: how long after the load event it started; nil if it started before.
    case turboLate(seconds: Double?)
    /// The document has loaded, but no adapter runs in it.
    case adapterMissing
    /// Turbo is ready, but the page did not report `pageLoaded`.
    case pageLoadedMissing
    /// A call of the adapter threw, or the page had gone.
    case evaluationFailed(String)
    /// The document did not load, so that no page is left to navigate.
    case pageLost(String)
    /// Turbo refuses the response to a form.
    case formRefused(TurboResponse)
    /// The server answered with a status of 500 or more.
    case serverError(TurboResponse)
    /// Turbo shows a page from its cache in place of the response that it got for a form's redirect.
    case responseLost(TurboResponse)

    /// The problem's code in the traffic log.
    var code: ProblemCode {
        switch self {
        case .turboMissing: ProblemCode("turboMissing", page: "emulate.md")
        case .turboLate: ProblemCode("turboLate", page: "notes/turbo.md")
        case .adapterMissing: ProblemCode("adapterMissing", page: "emulate.md")
        case .pageLoadedMissing: ProblemCode("pageLoadedMissing", page: "emulate.md")
        case .evaluationFailed: ProblemCode("visitEvaluationFailed", page: "emulate.md")
        case .pageLost: .pageLost
        case .formRefused: ProblemCode("formRefused", page: "notes/turbo.md")
        case .serverError: ProblemCode("serverError", page: "notes/turbo.md")
        case .responseLost: ProblemCode("responseLost", page: "notes/turbo.md")
        }
    }

    /// The response that the user does not see; nil if the problem is not about one.
    var response: TurboResponse? {
        switch self {
        case .formRefused(let response), .serverError(let response), .responseLost(let response): response
        case .turboMissing, .turboLate, .adapterMissing, .pageLoadedMissing, .evaluationFailed, .pageLost: nil
        }
    }

    var text: String {
        switch self {
        case .turboMissing: "The page has neither window.Turbo nor window.Turbolinks, so its visit fails."
        case .turboLate(let seconds?):
            """
            Turbo started \(seconds.tenths) s after the load event, so it did not dispatch turbo:load, for which the app waits. \
            The visit does not end: a phone's spinner stays.
            """
        case .turboLate(nil):
            """
            window.Turbo was not there when Turbo dispatched turbo:load, for which the app waits. The visit does not end: a \
            phone's spinner stays.
            """
        case .adapterMissing: "The page has no window.turboNative, so no adapter runs in it."
        case .pageLoadedMissing:
            "Turbo is ready, but the page did not report pageLoaded. The visit does not end: a phone's spinner stays."
        case .evaluationFailed(let error):
            "The web view loads the URL instead, because calling Turbo in the page failed: \(error)"
        case .pageLost(let error): "The document did not load: \(error)"
        case .formRefused(let response):
            """
            \(response.method) \(response.url) was answered with 200 and without a redirect. Turbo refuses that ("Form \
            responses must redirect to another location"): the page stays as it was, and the user does not see the \
            answer.
            """
        case .serverError(let response):
            """
            \(response.method) \(response.url) was answered with \(response.statusCode ?? 500)\
            \(response.isShown == true ? ", which the page shows" : ", and the app shows nothing of the answer")\
            : "\(response.text ?? "")"
            """
        case .responseLost(let response):
            """
            A form's redirect led to \(response.url), which Turbo shows from its cache, and not as the server sent it. The visit \
            does not end, on a phone as here.
            """
        }
    }

    var hint: String {
        switch self {
        case .turboMissing:
            """
            Check that Turbo's script loads and sets window.Turbo. With a bundler, write \
            import { Turbo } from "@hotwired/turbo-rails" and window.Turbo = Turbo.
            """
        case .turboLate(_?):
            """
            Start Turbo before the load event: with <script type="module"> in the page's head and a static import, not with \
            import() in a handler of load, in a timer, or after another request.
            """
        case .turboLate(nil): "Set window.Turbo in the same script that imports Turbo, and before anything that waits."
        case .adapterMissing:
            """
            The page's console shows what stopped web/turbo.js, such as a Content-Security-Policy or an adapter of the page's own.
            """
        case .pageLoadedMissing: "An adapter posts pageLoaded after the next repaint. Check that the tab is in front."
        case .evaluationFailed: "Check that the page still has window.turboNative and window.Turbo."
        case .pageLost:
            "The browser shows its own error page. Start the web app and reload the tab."
        case .formRefused:
            """
            If the form was valid, redirect with the status 303 (See Other). If it was not, show it again with the status 422, \
            in Rails render :new, status: :unprocessable_entity.
            """
        case .serverError: "The web app's log says why it failed."
        case .responseLost:
            """
            The framework's adapter asks Turbo for the response and then for the cached page, which cancels the response. Keep \
            the page out of previews: <meta name="turbo-cache-control" content="no-preview">.
            """
        }
    }
}

extension Double {
    /// The number with one digit after the point.
    fileprivate var tenths: String { "\((self * 10).rounded() / 10)" }
}
