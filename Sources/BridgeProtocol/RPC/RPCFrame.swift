/// The JSON-RPC messages in one WebSocket text message or HTTP body: a single message or a batch (JSON-RPC 2.0,
/// section 6).
public struct RPCFrame: Sendable {
    /// The messages in the order in which to handle them. There is at least one.
    public let messages: Messages
    /// Whether the messages came in an array, so that the responses must be in an array too.
    public var isBatch: Bool { messages.isBatch }

    /// Reads a frame. Anything that is not JSON-RPC becomes ``RPCMessage/malformed(id:error:)``.
    public init(_ json: JSON) { messages = Messages(json) }

    /// The messages of a frame. Each is read on access, so that a batch of a million malformed messages takes no memory
    /// and a receiver can stop early.
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
