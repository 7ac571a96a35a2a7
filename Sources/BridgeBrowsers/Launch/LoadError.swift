import BridgeProtocol

/// An error of a load, as iOS reports it (`NSURLErrorDomain`, NSURLError.h, if nothing else is said).
struct LoadError: Equatable {
    private(set) var domain = "NSURLErrorDomain"
    let code: Int
    let text: String

    /// The engine has refused to show what it was asked to load (`WebKitErrorFrameLoadInterruptedByPolicyChange`).
    static let interrupted = LoadError(domain: "WebKitErrorDomain", code: 102, text: "Frame load interrupted")

    private init(domain: String, code: Int, text: String) {
        (self.domain, self.code, self.text) = (domain, code, text)
    }

    func message(of url: String, isProvisional: Bool) -> DriverMessage {
        .failed(NavigationFailure(url: url, domain: domain, code: code, text: text, isProvisional: isProvisional))
    }

    /// - Parameter reason: an error of DevTools (`Network.ErrorReason`), such as `ConnectionRefused`.
    /// - Returns: nil if the reason says nothing.
    init?(reason: String) {
        switch reason {
        case "ConnectionRefused", "ConnectionFailed", "AddressUnreachable":
            self.init(chromium: "net::ERR_CONNECTION_REFUSED")
        case "NameNotResolved": self.init(chromium: "net::ERR_NAME_NOT_RESOLVED")
        case "TimedOut": self.init(chromium: "net::ERR_TIMED_OUT")
        case "InternetDisconnected": self.init(chromium: "net::ERR_INTERNET_DISCONNECTED")
        case "ConnectionClosed", "ConnectionReset", "ConnectionAborted":
            self.init(chromium: "net::ERR_CONNECTION_RESET")
        default: return nil
        }
    }

    /// - Parameter error: the name of a network error of Chromium, such as `net::ERR_CONNECTION_REFUSED`.
    init(chromium error: String) {
        let known: (code: Int, text: String) =
            switch error {
            case "net::ERR_CONNECTION_REFUSED", "net::ERR_CONNECTION_FAILED", "net::ERR_ADDRESS_UNREACHABLE":
                (-1004, "Could not connect to the server.")
            case "net::ERR_NAME_NOT_RESOLVED": (-1003, "A server with the specified hostname could not be found.")
            case "net::ERR_TIMED_OUT", "net::ERR_CONNECTION_TIMED_OUT": (-1001, "The request timed out.")
            case "net::ERR_INTERNET_DISCONNECTED": (-1009, "The Internet connection appears to be offline.")
            case "net::ERR_CONNECTION_RESET", "net::ERR_CONNECTION_CLOSED", "net::ERR_EMPTY_RESPONSE":
                (-1005, "The network connection was lost.")
            case "net::ERR_TOO_MANY_REDIRECTS": (-1007, "Too many HTTP redirects.")
            case "net::ERR_UNKNOWN_URL_SCHEME": (-1002, "Unsupported URL.")
            case _ where error.hasPrefix("net::ERR_CERT_"):
                (-1202, "The certificate for this server is invalid.")
            default: (-1, "The load failed: \(error)")
            }
        (code, text) = known
    }
}
