import BridgeProtocol
import CWebKitGTK

/// Servers that ask for a user name and a password.
extension HostedWebView {
    func connectAuthentication(_ data: UnsafeMutableRawPointer) {
        bridged_connect_authenticate(
            view.pointer, "authenticate",
            { _, request, data in
                guard let data, let request else { return 0 }
                return HostedWebView.of(data).authenticate(request) ? 1 : 0
            }, data)
    }

    /// - Returns: whether native code answers; otherwise WebKitGTK asks its user.
    private func authenticate(_ request: UnsafeMutablePointer<WebKitAuthenticationRequest>) -> Bool {
        guard options.isHeadless || webView.settings.answersDialogs else { return false }
        let kept = KeptAuthenticationRequest(request)
        if let question = cancelledQuestion, question.asksTheSame(as: kept) {
            question.goOn(with: kept)
            return true
        }
        let question = PasswordQuestion(kept)
        passwordQuestion = question
        current.askForCredentials(
            kept.challenge, failed: webkit_authentication_request_is_retry(request) != 0, decided: question.answer)
        return true
    }

    /// A load that WebKitGTK has cancelled together with its question for a password, so that it has to begin again.
    ///
    /// WebKitGTK cancels the question that waits when it hears that a load has begun. The question comes from the network
    /// process and the beginning from the web process, so on a busy machine the load may cancel its own question. A load
    /// that a page began is not repeated, because it may send a form.
    func isCancelledByItsStart(_ url: String, _ error: LoadError) -> Bool {
        cancelledQuestion != nil && error == .cancelled && url == urlOfNativeLoad
    }

    private var cancelledQuestion: PasswordQuestion? {
        passwordQuestion.flatMap { $0.isCancelled ? $0 : nil }
    }
}

/// A question for a user name and a password, asked once, although WebKitGTK may repeat its request.
@MainActor final class PasswordQuestion {
    private var request: KeptAuthenticationRequest
    private var answer: (user: String, password: String)??
    private(set) var isCancelled = false

    fileprivate init(_ request: KeptAuthenticationRequest) { self.request = request }

    /// WebKitGTK has begun a load. A request that has its answer goes on nevertheless.
    func cancel() { isCancelled = answer == nil }

    fileprivate func asksTheSame(as other: KeptAuthenticationRequest) -> Bool { request.challenge == other.challenge }

    fileprivate func goOn(with request: KeptAuthenticationRequest) {
        (self.request, isCancelled) = (request, false)
        if let answer { request.send(answer) }
    }

    fileprivate func answer(_ credentials: (user: String, password: String)?) {
        answer = .some(credentials)
        request.send(credentials)
    }
}

/// WebKitGTK's request for a password, retained until it is answered.
@MainActor private final class KeptAuthenticationRequest {
    private let request: UnsafeMutablePointer<WebKitAuthenticationRequest>

    init(_ request: UnsafeMutablePointer<WebKitAuthenticationRequest>) {
        g_object_ref(UnsafeMutableRawPointer(request))
        self.request = request
    }

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(request)) }

    /// Answers the request. WebKitGTK ignores the answer if the request has been cancelled.
    func send(_ credentials: (user: String, password: String)?) {
        guard let (user, password) = credentials else {
            return webkit_authentication_request_authenticate(request, nil)
        }
        let credential = webkit_credential_new(user, password, WEBKIT_CREDENTIAL_PERSISTENCE_FOR_SESSION)
        webkit_authentication_request_authenticate(request, credential)
        webkit_credential_free(credential)
    }

    var challenge: AuthenticationChallenge {
        let scheme =
            switch webkit_authentication_request_get_scheme(request) {
            case WEBKIT_AUTHENTICATION_SCHEME_HTTP_BASIC: "basic"
            case WEBKIT_AUTHENTICATION_SCHEME_HTTP_DIGEST: "digest"
            default: "other"
            }
        let realm = webkit_authentication_request_get_realm(request).map { String(cString: $0) } ?? ""
        let host = webkit_authentication_request_get_host(request).map { String(cString: $0) } ?? ""
        return AuthenticationChallenge(
            host: host, port: Int(webkit_authentication_request_get_port(request)), scheme: scheme, realm: realm)
    }
}
