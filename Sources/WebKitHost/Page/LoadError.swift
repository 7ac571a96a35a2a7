import BridgeProtocol
import CWebKitGTK

/// An error of a load as iOS gives it.
struct LoadError: Equatable {
    let domain: String
    let code: Int
    let text: String

    private static let urlDomain = "NSURLErrorDomain"
    private static let webKitDomain = "WebKitErrorDomain"

    init(_ code: Int, _ text: String, domain: String = LoadError.urlDomain) {
        self.domain = domain
        self.code = code
        self.text = text
    }

    static let cancelled = LoadError(-999, "cancelled")
    static let timedOut = LoadError(-1001, "The request timed out.")
    static let unsupportedURL = LoadError(-1002, "unsupported URL")
    private static let hostNotFound = LoadError(-1003, "A server with the specified hostname could not be found.")
    static let refused = LoadError(-1004, "Could not connect to the server.")
    private static let connectionLost = LoadError(-1005, "The network connection was lost.")
    static let tooManyRedirects = LoadError(-1007, "too many HTTP redirects")
    static let offline = LoadError(-1009, "The Internet connection appears to be offline.")
    private static let noFile = LoadError(-1100, "The requested URL was not found on this server.")
    static let secureConnectionFailed = LoadError(
        -1200, "An SSL error has occurred and a secure connection to the server cannot be made.")
    private static let outdatedCertificate = LoadError(-1201, "The certificate for this server has expired.")
    private static let untrustedCertificate = LoadError(-1202, "The certificate for this server is invalid.")
    static let interrupted = LoadError(102, "Frame load interrupted", domain: LoadError.webKitDomain)

    init(_ error: GError) {
        let text = error.message.map { String(cString: $0) } ?? ""
        let domain = String(cString: g_quark_to_string(error.domain))
        switch domain {
        case _ where domain.hasPrefix(LoadError.ofNativeCode):
            self = LoadError(Int(error.code), text, domain: String(domain.dropFirst(LoadError.ofNativeCode.count)))
        case "g-io-error-quark": self = LoadError.ofConnection(error.code, text)
        case "g-resolver-error-quark": self = .hostNotFound
        case "g-tls-error-quark": self = .secureConnectionFailed
        case "soup-session-error-quark" where error.code == Int32(SOUP_SESSION_ERROR_TOO_MANY_REDIRECTS.rawValue):
            self = .tooManyRedirects
        case "WebKitNetworkError": self = LoadError.ofNetwork(error.code, text)
        case "WebKitPolicyError"
        where error.code == Int32(WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE.rawValue):
            self = .interrupted
        case "WebKitPolicyError" where error.code == Int32(WEBKIT_POLICY_ERROR_CANNOT_SHOW_URI.rawValue):
            self = .unsupportedURL
        // The other codes of this domain are those of Apple's WebKit, too.
        case "WebKitPolicyError": self = LoadError(Int(error.code), text, domain: LoadError.webKitDomain)
        default: self = LoadError(-1, text)
        }
    }

    init(_ flags: GTlsCertificateFlags) {
        let expired = G_TLS_CERTIFICATE_EXPIRED.rawValue | G_TLS_CERTIFICATE_NOT_ACTIVATED.rawValue
        self = flags.rawValue & ~expired == 0 ? .outdatedCertificate : .untrustedCertificate
    }

    /// What the domains of native code's own errors begin with while WebKit has them.
    private static let ofNativeCode = "bridged:"

    /// Makes the error for WebKit, which gives it back when the load has failed.
    func makeError() -> UnsafeMutablePointer<GError>? {
        g_error_new_literal(
            g_quark_from_string(LoadError.ofNativeCode + domain), Int32(clamping: code), text)
    }

    private static func ofConnection(_ code: Int32, _ text: String) -> LoadError {
        switch UInt32(bitPattern: code) {
        case G_IO_ERROR_CANCELLED.rawValue: .cancelled
        case G_IO_ERROR_TIMED_OUT.rawValue: .timedOut
        case G_IO_ERROR_CONNECTION_REFUSED.rawValue, G_IO_ERROR_HOST_UNREACHABLE.rawValue: .refused
        case G_IO_ERROR_NETWORK_UNREACHABLE.rawValue: .offline
        case G_IO_ERROR_HOST_NOT_FOUND.rawValue: .hostNotFound
        case G_IO_ERROR_BROKEN_PIPE.rawValue, G_IO_ERROR_PARTIAL_INPUT.rawValue: .connectionLost
        default: LoadError(-1, text)
        }
    }

    private static func ofNetwork(_ code: Int32, _ text: String) -> LoadError {
        switch UInt32(bitPattern: code) {
        case WEBKIT_NETWORK_ERROR_CANCELLED.rawValue: .cancelled
        case WEBKIT_NETWORK_ERROR_UNKNOWN_PROTOCOL.rawValue: .unsupportedURL
        case WEBKIT_NETWORK_ERROR_FILE_DOES_NOT_EXIST.rawValue: .noFile
        default: LoadError(-1, text)
        }
    }

    func message(of url: String, isProvisional: Bool) -> DriverMessage {
        .failed(NavigationFailure(url: url, domain: domain, code: code, text: text, isProvisional: isProvisional))
    }
}
