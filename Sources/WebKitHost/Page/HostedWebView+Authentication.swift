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
        passwordQuestions.take(kept.challenge, send: kept.send) { answer in
            current.askForCredentials(
                kept.challenge, failed: webkit_authentication_request_is_retry(request) != 0, decided: answer)
        }
        return true
    }
}

/// WebKitGTK's request for a password, retained as long as somebody may answer it.
@MainActor private final class KeptAuthenticationRequest {
    private let request: UnsafeMutablePointer<WebKitAuthenticationRequest>

    init(_ request: UnsafeMutablePointer<WebKitAuthenticationRequest>) {
        g_object_ref(UnsafeMutableRawPointer(request))
        self.request = request
    }

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(request)) }

    /// Answers the request. WebKitGTK ignores the answer if the request has been cancelled.
    func send(_ credentials: PasswordQuestions.Credentials?) {
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
