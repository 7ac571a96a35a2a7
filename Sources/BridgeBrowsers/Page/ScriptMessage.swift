package import BridgeProtocol

/// A message that a script has posted to a handler.
package struct ScriptMessage: Sendable {
    package let handler: String
    /// The content world of the script; nil for the page's own.
    package let world: String?
    /// Whether the handler replies.
    package let replies: Bool
    private let body: Body

    private enum Body: Sendable {
        case members(String)
        case value(ScriptValue)
    }

    /// - Parameter members: the members `"body":…` and, if needed, `"types":…` as JSON text.
    package init(handler: String, world: String?, replies: Bool, members: String) {
        self.handler = handler
        self.world = world
        self.replies = replies
        body = .members(members)
    }

    package init(handler: String, world: String?, replies: Bool, body: ScriptValue) {
        self.handler = handler
        self.world = world
        self.replies = replies
        self.body = .value(body)
    }

    /// About how many bytes it has.
    var byteCount: Int {
        switch body {
        case .members(let text): text.utf8.count
        case .value: 0
        }
    }

    /// Writes `message.post` with a number.
    func frame(seq: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.call(Numbered(seq: seq, message: self), id: replies ? RequestID(seq) : nil)
        return writer.bytes
    }

    /// A `PostMessage` whose body may be the text that a page's script has written: a message may have megabytes.
    private struct Numbered: MethodCall {
        let seq: Int
        let message: ScriptMessage

        var method: String { PageMethod.post.rawValue }

        func writeMembers(to writer: inout JSONWriter) {
            PostMessage.writeMembers(seq, message.handler, message.world, to: &writer) { writer in
                switch message.body {
                case .members(let text): writer.raw(text.utf8)
                case .value(let value): value.write(to: &writer, key: "body")
                }
            }
        }
    }
}

/// How a message ended.
package enum MessageEnd: Sendable {
    /// The handler, which does not reply, has run.
    case handled
    /// The handler has replied. The object has the members `value` and, if needed, `types`.
    case reply(JSON)
    case failed(RPCError)
}

extension MessageEnd {
    /// The object with which a page's script settles its promise: `{id}`, `{id, result}` or `{id, error}`.
    package func write(id: Int, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id)
            switch self {
            case .handled: break
            case .reply(let result): writer.member("result", result)
            case .failed(let error): writer.member("error", error)
            }
        }
    }
}
