package import BridgeProtocol

/// A message that a script has posted to a handler.
package struct ScriptMessage {
    package let handler: String
    /// The content world of the script; nil for the page's own.
    package let world: String?
    /// Whether the handler replies.
    package let replies: Bool
    private let body: Body

    private enum Body {
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
        writer.string(handler)
        let name = writer.bytes
        var frame = Array("{\"jsonrpc\":\"2.0\",".utf8)
        if replies { frame += "\"id\":\(seq),".utf8 }
        frame += "\"method\":\"message.post\",\"params\":{\"seq\":\(seq),\"handler\":".utf8
        frame += name
        if let world { frame += ",\"world\":\(world.text),".utf8 } else { frame.append(UInt8(ascii: ",")) }
        switch body {
        case .members(let text): frame += text.utf8
        case .value(let value):
            var members = JSONWriter()
            members.object { value.write(to: &$0, key: "body") }
            frame += members.bytes.dropFirst().dropLast()
        }
        return frame + [UInt8(ascii: "}"), UInt8(ascii: "}")]
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
