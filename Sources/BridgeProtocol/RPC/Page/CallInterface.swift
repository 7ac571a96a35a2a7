/// The params of `interface.call`, with which a page calls a method of an interface object and waits for its result.
public struct CallInterface: MethodCall {
    /// The call as a message. Its handler is the object's name, and its body is the array of arguments.
    public let message: PostMessage
    /// The name of the object's method.
    public let name: String

    /// - Throws: `invalidParams` that names the member.
    public init(params: JSON?) throws(RPCError) {
        try self.init(PostMessage(params: params), method: params?["method"])
    }

    /// Reads all members but `seq`.
    /// - Throws: `invalidParams` that names the member.
    package init(seq: Int, params: JSON) throws(RPCError) {
        try self.init(PostMessage(seq: seq, params: params), method: params["method"])
    }

    package init(_ message: PostMessage, named name: String) { (self.message, self.name) = (message, name) }

    private init(_ message: PostMessage, method: JSON?) throws(RPCError) {
        self.message = message
        guard let name = method?.string else {
            throw .invalidParams(at: "/method", "expected String, found \(method.summary)")
        }
        guard message.body.kind == .array else {
            throw .invalidParams(at: "/body", "expected an array of arguments, found \(message.body.summary)")
        }
        try PageText.check(name, PageText.handler, at: "/method")
        self.name = name
    }

    public var method: String { PageMethod.call.rawValue }

    public func writeMembers(to writer: inout JSONWriter) {
        message.writeMembers(to: &writer)
        writer.member("method", name)
    }

    public var arguments: [ScriptValue] {
        (0..<message.body.json.count).compactMap { message.body.child(index: $0) }
    }
}
