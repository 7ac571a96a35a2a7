/// A WebSocket message from a page: one message or a batch of them, in order.
///
/// `bridge.js` writes nearly all frames, always in the same form. `EnvelopeReader` compares the bytes with that form
/// and parses only the values inside it, because the envelope is half of a short message. Every other frame is parsed
/// as a whole. Both ways have the same result; only the speed differs.
public struct PageFrame: Sendable {
    private enum Content: Sendable {
        case read([PageMessage])
        /// Each message is read when it is needed, so a batch of a million malformed ones takes no memory.
        case parsed(RPCFrame.Messages)
    }

    private let content: Content
    /// The number of bytes of the frame.
    public let size: Int

    /// How deeply a frame may nest: less than a text that can be read, because records and the answers to tools have
    /// values of pages in more levels than the frame.
    static let deepestNesting = JSON.deepestNesting - 8

    /// - Parameter bytes: the frame. It is not used after the call.
    /// - Throws: `JSONParseError` if the bytes are not JSON.
    public init(_ bytes: UnsafeRawBufferPointer) throws(JSONParseError) {
        size = bytes.count
        if let messages = EnvelopeReader.messages(of: bytes) {
            content = .read(messages)
        } else {
            content = .parsed(RPCFrame(try JSON.parse(bytes, levels: PageFrame.deepestNesting)).messages)
        }
    }

    /// The number of messages.
    public var count: Int {
        switch content {
        case .read(let messages): messages.count
        case .parsed(let messages): messages.count
        }
    }

    /// Reads the messages in the order in which the page sent them, and calls `body` with each, until it returns false.
    /// - Parameter start: the index of the first one, from 0 to ``count``.
    public func read(from start: Int = 0, while body: (PageMessage) -> Bool) {
        switch content {
        case .read(let messages): for message in messages.dropFirst(start) where !body(message) { return }
        case .parsed(let messages):
            for message in messages.dropFirst(start) where !body(PageMessage(message)) { return }
        }
    }

    /// Calls `body` with each message, in the order in which the page sent them.
    public func forEach(_ body: (PageMessage) -> Void) {
        read(while: { message in
            body(message)
            return true
        })
    }
}
