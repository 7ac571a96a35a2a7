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
        let kept = KeptChallenge(request)
        current.askForCredentials(
            kept.challenge, failed: webkit_authentication_request_is_retry(request) != 0
        ) { credentials in
            guard let (user, password) = credentials else {
                return webkit_authentication_request_authenticate(kept.request, nil)
            }
            let credential = webkit_credential_new(user, password, WEBKIT_CREDENTIAL_PERSISTENCE_FOR_SESSION)
            webkit_authentication_request_authenticate(kept.request, credential)
            webkit_credential_free(credential)
        }
        return true
    }
}

/// A question that waits for its answer.
@MainActor private final class KeptChallenge {
    let request: UnsafeMutablePointer<WebKitAuthenticationRequest>

    init(_ request: UnsafeMutablePointer<WebKitAuthenticationRequest>) {
        g_object_ref(UnsafeMutableRawPointer(request))
        self.request = request
    }

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(request)) }

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
