import BridgeProtocol
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Why a load of the web view or a request of Turbo failed; see hotwire-native-ios, `WebError`.
public struct WebError: Error, Sendable, Hashable {
    /// The code of a `URLError` or of another error of the web view, or Turbo's status.
    public let errorCode: Int
    public let message: String
    /// Whether the code is one of `URLError`.
    let isURLError: Bool

    public init(errorCode: Int, message: String) { self.init(errorCode, message, isURLError: false) }

    /// - Parameter error: the error of a load. Its code is used, whatever its domain is.
    init(_ error: any Error) {
        let (error, urlError) = (error as NSError, error as? URLError)
        self.init(urlError?.code.rawValue ?? error.code, error.localizedDescription, isURLError: urlError != nil)
    }

    init(_ errorCode: Int, _ message: String, isURLError: Bool) {
        (self.errorCode, self.message, self.isURLError) = (errorCode, message, isURLError)
    }

    /// The error of a cold boot whose redirect the app has cancelled: WebKit's `frameLoadInterruptedByPolicyChange`.
    static let frameLoadInterrupted = WebError(errorCode: 102, message: "Frame load interrupted")

    public var isOffline: Bool { isAny(of: [.notConnectedToInternet, .networkConnectionLost]) }
    /// Turbo's status for a request that took too long is -1.
    public var isTimeout: Bool { errorCode == URLError.Code.timedOut.rawValue || (!isURLError && errorCode == -1) }
    public var isConnectionError: Bool { isAny(of: [.cannotFindHost, .cannotConnectToHost, .dnsLookupFailed]) }
    public var isSSLError: Bool {
        isAny(of: [
            .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired,
        ])
    }

    private func isAny(of codes: [URLError.Code]) -> Bool {
        isURLError && codes.contains { $0.rawValue == errorCode }
    }

    /// The text of the app's error screen.
    public var errorDescription: String {
        if isConnectionError || isOffline { return "Could not connect to the server." }
        if isTimeout { return "The request timed out." }
        if isSSLError { return "A secure connection could not be established." }
        if isAny(of: [.httpTooManyRedirects]) { return "Too many redirects occurred." }
        if isAny(of: [.badURL]) { return "The URL is invalid." }
        return message
    }

    /// The computed properties such as `isTimeout` that are true, by their names.
    var helpers: [JSONValue.Member] {
        [
            ("isOffline", isOffline), ("isTimeout", isTimeout), ("isConnectionError", isConnectionError),
            ("isSSLError", isSSLError),
        ].filter(\.1).map { .init($0.0, .bool(true)) }
    }
}
