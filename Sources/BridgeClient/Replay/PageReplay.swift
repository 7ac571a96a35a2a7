import BridgeInput
public import BridgeProtocol
import Foundation

/// Replays a recorded page to a running daemon. It posts the page's messages, answers evaluations with the recorded
/// results, and compares the calls and replies of native code with the recorded ones.
///
/// All calls block. The class is not thread-safe.
public final class PageReplay {
    private let recorded: RecordedPage
    private let socket: WebSocket
    /// The evaluations that native code has requested, in order.
    private var calls: [RecordedCall] = []
    /// The replies of handlers, by the `seq` of the messages.
    private var replies: [Int: RecordedCall] = [:]
    private var acknowledged = 0
    private var replyingHandlers: Set<String> = []
    private var isAttached = false
    private static let attachID = RequestID.string("attach")

    /// How long to wait for the reply to a message, and for evaluations after the last message.
    public static let timeout = Duration.seconds(2)

    /// Connects to the daemon, and attaches as a page.
    public init(_ page: RecordedPage, to contact: DaemonEndpoint) throws(ClientError) {
        recorded = page
        guard let url = URLComponents(string: contact.url), let host = url.host else {
            throw .notAnAddress(contact.url)
        }
        guard url.scheme == "http" else { throw .needsPlainHTTP(url: contact.url) }
        do {
            socket = try WebSocket(
                host: host.trimmingCharacters(in: ["[", "]"]), port: url.port ?? 80, path: "/page",
                headers: ["Sec-WebSocket-Protocol: bridge.page.v1", "Authorization: Bearer \(contact.token)"])
            try attach()
        } catch {
            throw .unreachable(url: contact.url, reason: "\(error)")
        }
    }

    deinit { socket.leave() }

    /// Posts all messages in order, and compares replies and calls.
    /// - Throws: `ClientError`
    public func differences(ignoring ignored: [JSONPointer]) throws -> [Difference] {
        var found: [Difference] = []
        for (index, message) in recorded.messages.enumerated() {
            try post(message, seq: index + 1)
            guard let reply = message.reply, let now = replies[index + 1] else { continue }
            let what = "the reply to record \(message.record) (\(message.name ?? message.handler))"
            found += differences(what, reply, now, ignored)
        }
        try receive { calls.count >= recorded.calls.count }
        for index in 0..<max(calls.count, recorded.calls.count) {
            found += differences("call \(index + 1)", recorded.calls[safe: index], calls[safe: index], ignored)
        }
        return found
    }

    private func differences(
        _ what: String, _ recorded: RecordedCall?, _ now: RecordedCall?, _ ignored: [JSONPointer]
    ) -> [Difference] {
        JSONDifference.between(recorded?.content, now?.content, ignoring: ignored)
            .map { Difference(what: what, difference: $0) }
    }

    // MARK: Messages

    private func attach() throws {
        let origin = URL(string: recorded.url).flatMap { $0.host == nil ? nil : $0.originText }
        let frame = FrameInfo(url: recorded.url, origin: origin ?? "null", isMainFrame: true)
        try send(
            AttachPage(
                document: UUID().uuidString, webView: recorded.webView, frame: frame, userAgent: "bridged log replay"),
            id: PageReplay.attachID)
        try receive { isAttached }
        guard isAttached else { throw WebSocketRefused(description: "it did not answer page.attach within 2 s") }
    }

    private func send(_ call: some MethodCall, id: RequestID?) throws {
        var writer = JSONWriter()
        writer.call(call, id: id)
        try socket.send(writer.text)
    }

    private func post(_ message: RecordedPage.Message, seq: Int) throws {
        let expectsReply = replyingHandlers.contains(message.handler)
        try send(
            PostMessage(seq: seq, handler: message.handler, body: message.body), id: expectsReply ? RequestID(seq) : nil
        )
        try receive { acknowledged >= seq && (!expectsReply || message.reply == nil || replies[seq] != nil) }
    }

    /// Handles the daemon's messages until `isDone` returns true or ``timeout`` is over.
    private func receive(until isDone: () -> Bool) throws {
        let deadline = ContinuousClock.now + PageReplay.timeout
        while !isDone(), ContinuousClock.now < deadline,
            let text = try socket.receive(within: max(.zero, deadline - ContinuousClock.now))
        {
            for message in RPCFrame(try JSON.parse(text)).messages { try handle(message) }
        }
    }

    private func handle(_ message: RPCMessage) throws {
        switch message {
        case .success(PageReplay.attachID, let result):
            isAttached = true
            replyingHandlers.formUnion(AttachResult(result).settings.handlers.filter(\.replies).map(\.name))
        case .failure(PageReplay.attachID, _): isAttached = true
        case .success(let id, let result):
            guard let seq = id.wholeNumber else { return }
            let value = try ScriptValue(json: result["value"] ?? .null, types: result["types"])
            replies[seq] = .reply(.success(value))
        case .failure(let id, let error): if let seq = id.wholeNumber { replies[seq] = .reply(.failure(error)) }
        case .notification(let method, let params):
            if case .acknowledge(let seq) = try? DaemonMessage(method, params) { acknowledged = seq }
        case .request(let id, let method, let params):
            if case .run(let script) = try? DaemonMessage(method, params) { try answer(script, id) }
        case .malformed: break
        }
    }

    /// Keeps the call, and answers it with the result of the recorded call that has the same index.
    private func answer(_ script: PageScript, _ id: RequestID) throws {
        let result = recorded.calls[safe: calls.count]?.result ?? .success(.null)
        let call: RecordedCall =
            switch script.program {
            case .script(let source, _): .evaluate(source)
            case .asyncFunction(let body, let arguments): .callAsync(body, arguments)
            }
        calls.append(call)
        var writer = JSONWriter()
        switch result {
        case .success(let value): writer.valueResult(id: id, value)
        case .failure(let error): writer.error(id: id, error)
        }
        try socket.send(writer.text)
    }
}

extension PageReplay {
    /// A difference between a recorded call or reply and that of the replay.
    public struct Difference: Sendable {
        /// The call or reply that differs, such as `call 2`.
        public let what: String
        public let difference: JSONDifference
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
