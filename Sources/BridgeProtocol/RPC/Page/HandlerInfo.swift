/// The description of a handler that a page receives.
public struct HandlerInfo: Sendable, Equatable, JSONObject {
    public let name: String
    /// Whether `postMessage` waits for a reply, as with `WKScriptMessageHandlerWithReply`.
    public let replies: Bool
    /// The content world whose scripts have the handler; nil for the page's own. Only driven pages have others.
    public let world: String?

    public init(name: String, replies: Bool, world: String? = nil) {
        self.name = name
        self.replies = replies
        self.world = world
    }

    public var members: JSONMembers { ["name": name, "replies": replies, "world": world] }
}
