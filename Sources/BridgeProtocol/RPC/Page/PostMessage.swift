/// The params of `message.post`: a script message as the page sent it.
///
/// It is a class, because a message is handed on often, and copying all its members each time would cost more.
public final class PostMessage: MethodCall {
    /// The number of the message in its document: 1, 2, 3… up to 2^53. It is negative if a tool posted the message as a
    /// page.
    public let seq: Int
    public let handler: String
    public let body: ScriptValue
    /// The content world of the script that posted; nil for the page's own. Only driven pages have others.
    public let world: String?

    public init(seq: Int, handler: String, body: ScriptValue, world: String? = nil) {
        self.seq = seq
        self.handler = handler
        self.body = body
        self.world = world
    }

    /// The message without its body, for code that waits for the reply: a body retains its whole frame.
    package var withoutBody: PostMessage { PostMessage(seq: seq, handler: handler, body: .null, world: world) }

    public var method: String { PageMethod.post.rawValue }

    public func writeMembers(to writer: inout JSONWriter) {
        PostMessage.writeMembers(seq, handler, world, to: &writer) { body.write(to: &$0, key: "body") }
    }

    /// - Parameter writeBody: writes the members `body` and, if needed, `types`.
    package static func writeMembers(
        _ seq: Int, _ handler: String, _ world: String?, to writer: inout JSONWriter,
        _ writeBody: (inout JSONWriter) -> Void
    ) {
        writer.member("seq", seq)
        writer.member("handler", handler)
        writer.member("world", ifPresent: world)
        writeBody(&writer)
    }

    /// Reads the members without `Decodable`, for speed. `EnvelopeReader` reads most posts on connections; all other
    /// posts and all calls are read here.
    /// - Throws: `invalidParams` that names the member.
    public convenience init(params: JSON?) throws(RPCError) {
        guard let params, params.kind == .object else {
            throw .invalidParams(at: "", "expected an object, found \(params.summary)")
        }
        let number = params["seq"]
        guard let seq = number?.wholeNumber, (1...1 << 53).contains(seq) else {
            throw .invalidParams(at: "/seq", "expected a whole number from 1 to 2^53, found \(number.summary)")
        }
        try self.init(seq: seq, params: params)
    }

    /// Reads the other members.
    init(seq: Int, params: JSON) throws(RPCError) {
        let name = params["handler"]
        guard let handler = name?.string else {
            throw .invalidParams(at: "/handler", "expected String, found \(name.summary)")
        }
        try PageText.check(handler, PageText.handler, at: "/handler")
        let world = params["world"]
        guard world == nil || world?.string != nil else {
            throw .invalidParams(at: "/world", "expected String, found \(world.summary)")
        }
        try PageText.check(world: world?.string)
        self.seq = seq
        self.handler = handler
        self.world = world?.string
        self.body = try ScriptValue(params: params, key: "body")
    }
}
