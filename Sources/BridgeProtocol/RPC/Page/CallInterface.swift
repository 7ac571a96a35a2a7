/// The params of `interface.call`, with which a page calls a method of an interface object and waits for its result.
public struct CallInterface: Sendable {
    /// The call as a message. Its handler is the object's name, and its body is the array of arguments.
    public let message: PostMessage
    public let method: String

    /// - Throws: `invalidParams` that names the member.
    public init(params: JSON?) throws(RPCError) {
        message = try PostMessage(params: params)
        let name = params?["method"]
        guard let method = name?.string else {
            throw .invalidParams(at: "/method", "expected String, found \(name.summary)")
        }
        guard message.body.kind == .array else {
            throw .invalidParams(at: "/body", "expected an array of arguments, found \(message.body.summary)")
        }
        try PageText.check(method, PageText.handler, at: "/method")
        self.method = method
    }

    public var arguments: [ScriptValue] {
        (0..<message.body.json.count).compactMap { message.body.child(index: $0) }
    }
}
