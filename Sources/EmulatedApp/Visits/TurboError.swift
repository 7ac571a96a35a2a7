public import BridgeProtocol

/// Why a visit failed, as the frameworks' `TurboError` has it.
public enum TurboError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server answered with a status of 400 or more.
    case http(statusCode: Int)
    /// The server was not reached (Turbo's status 0), or a load was broken off.
    case networkFailure
    /// Turbo's status -1, or a load that took longer than it may.
    case timeoutFailure
    /// What came is no HTML (Turbo's status -2).
    case contentTypeMismatch
    /// The document is there, and Turbo is not.
    case pageLoadFailure

    /// - Parameter statusCode: as Turbo has it: an HTTP status, or 0, -1, -2 for what is none.
    init(statusCode: Int) {
        switch statusCode {
        case 0: self = .networkFailure
        case -1: self = .timeoutFailure
        case -2: self = .contentTypeMismatch
        default: self = .http(statusCode: statusCode)
        }
    }

    /// One word for programs.
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
    public func write(to writer: inout JSONWriter) { literal.write(to: &writer) }

    var literal: JSONValue {
        guard case .http(let statusCode) = self else { return ["error": .string(name)] }
        return ["error": .string(name), "statusCode": .number(Double(statusCode))]
    }
}
