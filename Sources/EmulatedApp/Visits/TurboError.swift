public import BridgeProtocol

/// Why a visit failed; see hotwire-native-ios, `TurboError`.
public enum TurboError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server answered with a status of 400 or more.
    case http(statusCode: Int)
    /// The server could not be reached (Turbo's status 0), or a load was aborted.
    case networkFailure
    /// The load timed out (Turbo's status -1).
    case timeoutFailure
    /// The response is not HTML (Turbo's status -2).
    case contentTypeMismatch
    /// The document loaded, but Turbo in it is not ready.
    case pageLoadFailure

    /// - Parameter statusCode: Turbo's status: an HTTP status, or 0, -1 or -2 if there is no response.
    init(statusCode: Int) {
        switch statusCode {
        case 0: self = .networkFailure
        case -1: self = .timeoutFailure
        case -2: self = .contentTypeMismatch
        default: self = .http(statusCode: statusCode)
        }
    }

    /// The name of the case.
    public var name: String {
        switch self {
        case .http: "http"
        case .networkFailure: "networkFailure"
        case .timeoutFailure: "timeoutFailure"
        case .contentTypeMismatch: "contentTypeMismatch"
        case .pageLoadFailure: "pageLoadFailure"
        }
    }

    public var description: String {
        switch self {
        case .http(let statusCode): "the server answered with the status \(statusCode)"
        case .networkFailure: "the server was not reached"
        case .timeoutFailure: "the server took too long"
        case .contentTypeMismatch: "the server answered with something other than HTML"
        case .pageLoadFailure: "the page has no Turbo that is ready"
        }
    }
}

extension TurboError: JSONWritable {
    /// `{"error": "http", "statusCode": 404}`
    public func write(to writer: inout JSONWriter) { json.write(to: &writer) }

    var json: JSONValue {
        guard case .http(let statusCode) = self else { return ["error": .string(name)] }
        return ["error": .string(name), "statusCode": .number(Double(statusCode))]
    }
}
