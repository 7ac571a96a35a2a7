import BridgeProtocol

/// A fixed reply that replaces a handler.
struct Stub: ToolRule {
    static let name = "stub"

    let handler: String
    /// A subset of the body that a message must have; nil for every message.
    let match: ScriptValue?
    let reply: StubReply
    let delay: Duration
    /// The calls into the page until the reply, and those after it.
    let calls: (earlier: [StubCall], later: [StubCall])

    init(handler: String, match: ScriptValue?, reply: StubReply, delay: Duration, calls: [StubCall] = []) {
        (self.handler, self.match, self.reply, self.delay) = (handler, match, reply, delay)
        self.calls = calls.around(delay)
    }

    /// The answer of a cassette's entry to a message.
    init(_ entry: Cassette.Entry, of handler: String, at timing: Cassette.Timing) {
        (self.handler, match, reply) = (handler, nil, entry.reply)
        delay = timing == .instant ? .zero : entry.delay
        let calls = entry.calls.around(entry.delay)
        self.calls =
            timing == .instant ? (calls.earlier.map(\.atOnce), calls.later.map(\.atOnce)) : calls
    }

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
        let all = calls.earlier + calls.later
        if !all.isEmpty { writer.member("calls", all) }
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
