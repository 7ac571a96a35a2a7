/// The messages of one WebSocket text message or HTTP body: one, or a batch (JSON-RPC 2.0, section 6).
public struct RPCFrame: Sendable {
    /// In the order in which they are to be handled. Never empty.
    public let messages: Messages
    /// Whether they came in an array, so that the responses go back in one.
    public var isBatch: Bool { messages.isBatch }

    /// Reads a frame. Total: whatever is not JSON-RPC becomes ``RPCMessage/malformed(id:error:)``.
    public init(_ json: JSON) { messages = Messages(json) }

    /// Each message is read when it is asked for, so that a batch of a million malformed ones takes no memory, and a
    /// receiver that has had enough of them can stop.
    public struct Messages: RandomAccessCollection, Sendable {
        private let json: JSON
        fileprivate let isBatch: Bool
        public let endIndex: Int

        fileprivate init(_ json: JSON) {
            let count = json.kind == .array ? json.count : 0
            self.json = json
            isBatch = count > 0
            endIndex = Swift.max(count, 1)
        }

        public var startIndex: Int { 0 }

        public subscript(position: Int) -> RPCMessage {
            if isBatch, let element = json[position] { return RPCMessage(element) }
            if json.kind == .array { return .malformed(id: .null, error: .invalidRequest("an empty batch")) }
            return RPCMessage(json)
        }
    }
}
