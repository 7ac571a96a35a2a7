/// A handler as the page needs to know it.
public struct HandlerInfo: Sendable, Equatable, JSONWritable {
    public let name: String
    /// Whether `postMessage` waits for an answer (`WKScriptMessageHandlerWithReply`).
    public let replies: Bool

    public init(name: String, replies: Bool) {
        self.name = name
        self.replies = replies
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("replies", replies)
        }
    }
}
