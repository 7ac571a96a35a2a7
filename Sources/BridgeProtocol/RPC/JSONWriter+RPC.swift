/// JSON-RPC 2.0 messages. Each method appends one complete message; several within ``JSONWriter/array(_:)`` are a
/// batch.
extension JSONWriter {
    /// Writes a notification. `params` writes the members of the params object.
    public mutating func notification<E: Error>(
        _ method: String, params: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        try message { writer throws(E) in
            writer.member("method", method)
            try writer.member("params", object: params)
        }
    }

    /// Writes a request. `params` writes the members of the params object.
    public mutating func request<E: Error>(
        id: RequestID, _ method: String, params: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        try message { writer throws(E) in
            writer.member("id", id)
            writer.member("method", method)
            try writer.member("params", object: params)
        }
    }

    /// Writes a call of the page channel: a request if it has an id, and otherwise a notification.
    public mutating func call(_ call: some MethodCall, id: RequestID? = nil) {
        message { writer in
            writer.member("id", ifPresent: id)
            writer.member("method", call.method)
            writer.member("params", object: call.writeMembers)
        }
    }

    /// Writes a successful response. `members` writes the members of the result, which is always an object.
    public mutating func result<E: Error>(
        id: RequestID, _ members: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        try message { writer throws(E) in
            writer.member("id", id)
            try writer.member("result", object: members)
        }
    }

    /// Writes a successful response.
    ///
    /// - Parameter result: a value that writes an object.
    public mutating func result(id: RequestID, _ result: some JSONWritable) {
        message { writer in
            writer.member("id", id)
            writer.member("result", result)
        }
    }

    /// Writes a response whose result is a script value, such as the one to `message.post`.
    public mutating func valueResult(id: RequestID, _ value: ScriptValue) {
        result(id: id) { value.write(to: &$0, key: "value") }
    }

    public mutating func error(id: RequestID, _ error: RPCError) {
        message { writer in
            writer.member("id", id)
            writer.member("error", error)
        }
    }

    private mutating func message<E: Error>(_ members: (inout JSONWriter) throws(E) -> Void) throws(E) {
        try object { writer throws(E) in
            writer.member(complete: #""jsonrpc":"2.0""#)
            try members(&writer)
        }
    }
}

/// A method with its params, in the page channel (docs/protocol.md). One side writes it, and the other reads it with the
/// same type.
public protocol MethodCall: Sendable {
    var method: String { get }
    /// Writes the members of the params.
    func writeMembers(to writer: inout JSONWriter)
}
