import BridgeProtocol
import BridgeTraffic

/// A fixed answer that replaces a handler.
struct Stub: Sendable {
    /// `s1`, `s2`, … in each run of the daemon.
    let id: String
    let handler: String
    /// The web view to whose pages the stub applies; nil for all web views.
    let webView: String?
    /// A subset of the body that a message must have; nil for every message.
    let match: ScriptValue?
    let reply: StubReply
    let delay: Duration
    /// The number of messages that it has answered.
    var hits = 0

    /// Whether it answers dialogs, such as `window.confirm`, rather than messages.
    var answersDialogs: Bool { Dialog.Kind(handler: handler) != nil }

    func applies(to webView: String?) -> Bool { self.webView == nil || self.webView == webView }

    func fits(_ body: ScriptValue) -> Bool { match.map { body.contains(subset: $0) } ?? true }

    /// Makes a handler that gives this answer.
    @MainActor func messageHandler(_ hub: Hub) -> MessageHandler {
        guard reply.answers else { return .plain { _, _ in .handled } }
        guard delay > .zero else { return .replying { [answer = reply] body, _, reply in answer.settle(reply, body) } }
        guard case .echo = reply else {
            return .replying { [answer = reply, delay] _, _, reply in
                hub.deadlines.schedule(after: delay) { answer.settle(reply, .null) }
            }
        }
        return .replying { [delay] body, _, reply in echo(body, in: reply, after: delay, hub) }
    }

    /// Replies with the body after a delay. Meanwhile it is kept as text, because a value takes up to a hundred times the
    /// memory.
    @MainActor private func echo(_ body: ScriptValue, in reply: Reply, after delay: Duration, _ hub: Hub) {
        var writer = JSONWriter()
        writer.object { body.write(to: &$0, key: "value") }
        let text = writer.bytes
        guard hub.takeForReply(text.count) else { return reply.drop(.noRoomForReply(hub.memory.replies.limit)) }
        hub.deadlines.schedule(after: delay) { [memory = hub.memory.replies] in
            memory.release(text.count)
            guard let body = try? ScriptValue(params: JSON.parse(text), key: "value") else { return }
            reply.resolve(body)
        }
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

/// All stubs, oldest first. This type does no I/O.
struct Stubs {
    /// How many stubs tools may add. Each change of the stubs sends the whole list of handlers to every page.
    static let limit = 256

    private(set) var all: [Stub] = []
    private var count = 0

    mutating func add(
        _ handler: String, webView: String?, match: ScriptValue?, reply: StubReply, delay: Duration
    ) -> Stub {
        count += 1
        let stub = Stub(
            id: "s\(count)", handler: handler, webView: webView, match: match, reply: reply, delay: delay)
        all.append(stub)
        return stub
    }

    /// - Returns: false if there is no such stub.
    mutating func remove(_ id: String) -> Bool {
        let before = all.count
        all.removeAll { $0.id == id }
        return all.count < before
    }

    /// Finds the newest stub that fits a message or a dialog, and counts it.
    mutating func match(_ handler: String, webView: String, body: ScriptValue) -> Stub? {
        guard let found = index(handler, webView, body) else { return nil }
        all[found].hits += 1
        return all[found]
    }

    /// Whether a stub fits a message or a dialog.
    func fit(_ handler: String, webView: String, body: ScriptValue) -> Bool { index(handler, webView, body) != nil }

    private func index(_ handler: String, _ webView: String, _ body: ScriptValue) -> Int? {
        all.lastIndex { $0.handler == handler && $0.applies(to: webView) && $0.fits(body) }
    }

    /// The stubs that apply to the pages of a web view.
    /// - Parameter webView: nil for web views without a scope or stubs of their own.
    func applying(to webView: String?) -> [Stub] { all.filter { $0.applies(to: webView) } }
}

extension Stub: JSONWritable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("stub", id)
            writer.member("handler", handler)
            writer.member("webView", ifPresent: webView)
            match?.write(to: &writer, key: "match")
            writer.member("reply", reply)
            if delay > .zero { writer.member("delayMs", delay / .milliseconds(1)) }
            writer.member("hits", hits)
        }
    }
}
