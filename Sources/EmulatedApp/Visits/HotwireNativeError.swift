import BridgeProtocol
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Why a visit failed, as the main branch of hotwire-native-ios reports it; see its `HotwireNativeError`, `WebError`
/// and `LoadError`. Earlier releases have ``TurboError``.
public enum HotwireNativeError: Error, Sendable, Hashable {
    /// Why Turbo did not start in a page.
    public enum LoadError: String, Sendable {
        /// The page has no Turbo.
        case notPresent
        /// The page has the adapter, but Turbo in it is not ready.
        case notReady
        /// The response is not HTML.
        case contentTypeMismatch
        /// The response is neither a success nor an error.
        case invalidResponse
    }

    /// The status is from 400 to 599.
    case http(statusCode: Int)
    /// The web view did not load the page, or Turbo's request failed.
    case web(WebError)
    case load(LoadError)

    /// - Parameters:
    ///   - isColdBoot: whether the web view loaded the page. Otherwise Turbo requested it.
    ///   - loadError: why the web view did not load the page.
    ///   - hasAdapter: whether the page's adapter has said that it looks for Turbo.
    init(_ error: TurboError, isColdBoot: Bool, loadError: WebError? = nil, hasAdapter: Bool) {
        switch error {
        case .http(let statusCode) where (400...599).contains(statusCode): self = .http(statusCode: statusCode)
        case .http where isColdBoot: self = .load(.invalidResponse)
        case .http(let statusCode): self = .web(WebError(errorCode: statusCode, message: "Unexpected status code"))
        case .networkFailure where isColdBoot, .timeoutFailure where isColdBoot:
            self = .web(loadError ?? WebError(URLError(error == .timeoutFailure ? .timedOut : .cannotConnectToHost)))
        case .networkFailure: self = .web(WebError(errorCode: 0, message: "Network failure"))
        case .timeoutFailure: self = .web(WebError(errorCode: -1, message: "Timeout"))
        case .contentTypeMismatch: self = .load(.contentTypeMismatch)
        case .pageLoadFailure: self = .load(hasAdapter ? .notReady : .notPresent)
        }
    }

    /// The text of the app's error screen.
    public var errorDescription: String {
        switch self {
        case .http(let statusCode): Self.descriptions[statusCode] ?? Self.description(of: statusCode)
        case .web(let error): error.errorDescription
        case .load(.notPresent): "The page could not be loaded because Turbo is not present."
        case .load(.notReady): "The page could not be loaded because Turbo is not ready."
        case .load(.contentTypeMismatch): "The server returned an invalid content type."
        case .load(.invalidResponse): "The server returned an invalid response."
        }
    }

    /// The statuses that have names upstream.
    private static let descriptions = [
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
        408: "Request Timeout", 409: "Conflict", 421: "Misdirected Request", 422: "Unprocessable Entity",
        428: "Precondition Required", 429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented",
        502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    ]

    private static func description(of statusCode: Int) -> String {
        statusCode < 500 ? "Client Error (\(statusCode))" : "Server Error (\(statusCode))"
    }

    /// `{"error": "web", "errorCode": -1001, "isTimeout": true, "description": "The request timed out."}`
    var json: JSONValue {
        let cause: [JSONValue.Member] =
            switch self {
            case .http(let statusCode):
                [.init("error", "http"), .init("statusCode", .number(Double(statusCode)))]
            case .web(let error):
                [.init("error", "web"), .init("errorCode", .number(Double(error.errorCode)))] + error.helpers
            case .load(let cause): [.init("error", "load"), .init("cause", .string(cause.rawValue))]
            }
        return .object(cause + [.init("description", .string(errorDescription))])
    }
}
