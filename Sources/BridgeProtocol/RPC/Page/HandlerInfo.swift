/// The description of a handler that a page receives.
public struct HandlerInfo: Sendable, Equatable, JSONObject {
    public let name: String
    /// Whether `postMessage` waits for a reply, as with `WKScriptMessageHandlerWithReply`.
    public let replies: Bool

    public init(name: String, replies: Bool) {
        self.name = name
        self.replies = replies
    }

    public var members: JSONMembers { ["name": name, "replies": replies] }
}
