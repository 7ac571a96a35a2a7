import BridgeProtocol
import BridgeTraffic

/// Answers wrong messages of pages.
extension Hub {
    /// Answers a message of a page with an error, and records a `problem`. After too many wrong messages, the connection
    /// is closed.
    ///
    /// JSON-RPC has no response to a notification. The daemon nevertheless sends an error, with a null id, so that a
    /// mistake does not go unnoticed.
    func refuse(_ error: RPCError, id: RequestID?, _ connection: PageConnection) {
        connection.channel.send { $0.error(id: id ?? .null, error) }
        let page = connection.session?.page
        traffic.problem(
            error.code.problemCode, error.message, hint: "Something other than bridge.js may have sent it.", page: page)
        connection.errors += 1
        guard connection.errors >= limits.errors else { return }
        connection.isClosing = true
        traffic.problem(
            "tooManyErrors", "A connection sent \(limits.errors) wrong messages, and is closed.",
            hint: "Something other than bridge.js sent them; see the problems before this one.", page: page)
        connection.channel.close(.policyViolation, "too many errors")
    }
}

extension RPCError.Code {
    fileprivate var problemCode: String {
        switch self {
        case .parseError: "parseError"
        case .invalidRequest: "invalidRequest"
        case .methodNotFound: "methodNotFound"
        case .invalidParams: "invalidParams"
        default: "error\(rawValue)"
        }
    }
}

extension RPCError {
    static func early(_ method: String) -> RPCError {
        RPCError(.invalidRequest, "\(method) came before page.attach, which must be the first message.")
    }

    @MainActor static func attachedAlready(_ page: Page) -> RPCError {
        RPCError(.invalidRequest, "This connection is attached already, as \(page.id).")
    }
}
