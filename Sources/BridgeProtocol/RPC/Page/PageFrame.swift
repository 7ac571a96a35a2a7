/// A WebSocket message of the page channel: what a page posts and answers, in order.
///
/// Nearly all that pages send is written by `bridge.js`, always in the same way. Where a frame reads just so, only the
/// values in it go through the parser; the envelopes around them, which are half of a short message, are compared byte
/// by byte. Any other frame, and any with a value that can't be parsed, is parsed whole: the two ways differ in speed
/// alone.
public struct PageFrame: Sendable {
    public enum Message: Sendable {
        case post(PostMessage, id: RequestID?)
        case result(RequestID, ScriptValue)
        /// What is neither, or is written in another way.
        case other(RPCMessage)
    }

    private enum Content: Sendable {
        case asWritten([Message])
        case parsed(RPCFrame.Messages)
    }

    private let content: Content

    /// - Parameter bytes: are not looked at after this.
    public init(_ bytes: UnsafeRawBufferPointer) throws(JSONParseError) {
        if let messages = EnvelopeReader.messages(of: bytes) {
            content = .asWritten(messages)
        } else {
            content = .parsed(RPCFrame(try JSON.parse(bytes)).messages)
        }
    }

    public func forEach(_ body: (Message) -> Void) {
        switch content {
        case .asWritten(let messages): for message in messages { body(message) }
        case .parsed(let messages): for message in messages { body(.other(message)) }
        }
    }
}
