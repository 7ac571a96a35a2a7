/// The messages of one WebSocket text message or HTTP body: one, or a batch (JSON-RPC 2.0, section 6).
public struct RPCFrame: Sendable {
    /// In the order in which they are to be handled. Never empty.
    public let messages: [RPCMessage]
    /// Whether they came in an array, so that the responses go back in one.
    public let isBatch: Bool

    /// Reads a frame. Total: whatever is not JSON-RPC becomes ``RPCMessage/malformed(id:error:)``.
    public init(_ json: JSON) {
        isBatch = json.kind == .array && json.count > 0
        guard json.kind == .array else {
            messages = [RPCMessage(json)]
            return
        }
        var messages: [RPCMessage] = []
        messages.reserveCapacity(json.count)
        json.forEachElement { messages.append(RPCMessage($0)) }
        if messages.isEmpty {
            messages.append(.malformed(id: .null, error: .invalidRequest("an empty batch")))
        }
        self.messages = messages
    }
}
