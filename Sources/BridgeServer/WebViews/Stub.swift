import BridgeProtocol

/// A fixed reply that replaces a handler.
struct Stub: ToolRule {
    static let name = "stub"

    let handler: String
    /// A subset of the body that a message must have; nil for every message.
    let match: ScriptValue?
    let reply: StubReply
    let delay: Duration

    /// Whether it answers dialogs, such as `window.confirm`, rather than messages.
    var answersDialogs: Bool { Dialog.Kind(handler: handler) != nil }

    func fits(_ handler: String, _ body: ScriptValue) -> Bool {
        handler == self.handler && (match.map { body.contains(subset: $0) } ?? true)
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("handler", handler)
        match?.write(to: &writer, key: "match")
        writer.member("reply", reply)
        if delay > .zero { writer.member("delayMs", delay / .milliseconds(1)) }
    }
}

extension StubReply {
    @MainActor func settle(_ reply: Reply, _ body: ScriptValue) {
        switch self {
        case .value(let value): reply.resolve(value)
        case .error(let text): reply.reject(text)
        case .echo: reply.resolve(body)
        case .none: break
        }
    }
}

extension Fault: ToolRule {
    static let name = "fault"
}
