import BridgeProtocol
import BridgeTraffic

/// The outcome of a message, for the page or tool that posted it.
enum PostOutcome {
    /// A handler that does not reply handled the message or dropped it. `record` is the number of its record.
    case handled(Verdict, record: Int)
    /// The handler replied with a value or rejected the message, or there is no handler for it.
    case settled(Result<ScriptValue, RPCError>)
}

/// A reply that a handler has not given yet. The reference is weak, because a handler that releases its reply without a
/// call thereby answers, too: `Reply` settles itself when it is deallocated.
struct OwedReply {
    /// The memory that an owed reply takes, with the closures that wait for it.
    static let size = 512
    /// How many replies one page may wait for. All of them end together when the page leaves.
    static let most = 16_384

    weak var reply: Reply?
    let deadline: Deadlines.Token?
}

/// Delivers messages to their handlers and sends the replies to the page.
extension PageSession {
    /// Delivers a message to its handler, or to the stub that replaces the handler, and records the verdict.
    ///
    /// - Parameter report: is called once with the outcome, now or when the handler replies.
    func deliver(_ message: PostMessage, _ report: @escaping @MainActor (PostOutcome) -> Void) {
        switch hub.webViews.receiver(of: message, from: page) {
        case .handler(let handler): deliver(message, to: handler, nil, report)
        case .stub(let stub): deliver(message, to: stub.rule.messageHandler(hub), stub.id, report)
        case nil: report(.settled(.failure(refuse(message))))
        }
    }

    /// Delivers a message to the receiver that was found for it.
    /// - Parameter stub: the id of the stub that the handler belongs to; nil if it is none.
    func deliver(
        _ message: PostMessage, to handler: MessageHandler, _ stub: String?,
        _ report: @escaping @MainActor (PostOutcome) -> Void
    ) {
        switch handler {
        case .plain(let handle):
            let verdict = handle(message.body, context(of: message)).answered(by: stub)
            report(.handled(verdict, record: record(message, verdict)))
        case .replying(let handle): deliver(message, stub, to: handle, report)
        case .dispatcher(let dispatcher) where dispatcher.replies(to: message.body):
            deliver(message, stub, to: dispatcher.reply, report)
        case .dispatcher(let dispatcher):
            let verdict = dispatcher.dispatch(message.body, context: context(of: message)).answered(by: stub)
            report(.handled(verdict, record: record(message, verdict)))
        }
    }

    func context(of message: PostMessage) -> ScriptMessageContext {
        ScriptMessageContext(
            handler: message.handler, world: message.world, page: page.id, webView: page.webView, url: page.url,
            seq: message.seq,
            body: message.body, evaluator: page)
    }

    func deliver(
        _ message: PostMessage, _ stub: String?,
        to handle: @MainActor (ScriptValue, ScriptMessageContext, Reply) -> Void,
        _ report: @escaping @MainActor (PostOutcome) -> Void
    ) {
        guard owedReplies.count < OwedReply.most else {
            return report(.settled(.failure(refuse(message, .tooManyOwedReplies(OwedReply.most), OwedReply.most))))
        }
        guard hub.takeForReply(OwedReply.size) else {
            let limit = hub.memory.replies.limit
            return report(.settled(.failure(refuse(message, .noRoomForReply(limit), limit))))
        }
        let reply = Reply()
        let started = hub.deadlines.now
        // A message in the beacon of a page that is gone is handled, but not answered.
        if state.presence == .gone { reply.settle(.pageGone(page.id)) }
        handle(message.body, context(of: message), reply)
        let number = record(message, Verdict.awaitingReply.answered(by: stub))
        let deadline = hub.limits.replyTimeout.map { time in
            hub.deadlines.schedule(after: time) { [weak reply] in reply?.settle(.timedOut(time)) }
        }
        owedReplies[message.seq] = OwedReply(reply: reply, deadline: deadline)
        // The closure retains the hub, because the handler may keep the reply longer than anything else keeps the hub.
        reply.onSettled { [self, hub, message = message.withoutBody] end in
            hub.memory.replies.release(OwedReply.size)
            hub.deadlines.cancel(owedReplies.removeValue(forKey: message.seq)?.deadline)
            record(end, of: message, number, after: hub.deadlines.now - started, stub)
            report(.settled(end.result.mapError { RPCError(.handlerRejected, $0.message) }))
        }
    }

    private func refuse(_ message: PostMessage) -> RPCError {
        let names = hub.webViews.handlerInfo(of: page.webView, isDriven: page.isDriven).filter {
            $0.world == message.world
        }
        .map(\.name)
        let isStubbed = names.contains(message.handler)
        record(message, isStubbed ? .noStubFits(message) : .noHandler(message, names))
        return RPCError(
            .noSuchHandler,
            isStubbed
                ? "No stub of '\(message.handler)' fits the message." : "No handler is named '\(message.handler)'.",
            data: ["handler": .string(message.handler), "handlers": .array(names.map(JSONValue.string))])
    }

    private func refuse(_ message: PostMessage, _ verdict: Verdict, _ limit: Int) -> RPCError {
        record(message, verdict)
        return RPCError(
            .queueFull, "\(verdict.sentence(about: message)) \(verdict.hint ?? "")",
            data: ["limit": .number(Double(limit))])
    }

    /// Settles every reply that handlers have not given yet, in the order of the messages.
    func endReplies(_ end: ReplyEnd) {
        guard !owedReplies.isEmpty else { return }
        isEndingReplies = true
        for (_, owed) in owedReplies.sorted(by: { $0.key < $1.key }) { owed.reply?.settle(end) }
        isEndingReplies = false
        traffic.flush()
    }

    // MARK: Records

    func messageName(of body: ScriptValue) -> String? {
        ScriptMessageDispatcher.messageName(of: body, discriminator: hub.discriminator)
    }

    /// Records a message and its verdict. The record is written before the page learns that the message was handled.
    ///
    /// - Returns: the number of the record.
    @discardableResult
    private func record(_ message: PostMessage, _ verdict: Verdict) -> Int {
        let number = traffic.append(
            .message(
                handler: message.handler, name: messageName(of: message.body), body: message.body, seq: message.seq,
                verdict: verdict), .toNative, page, world: message.world)
        if verdict.reason != nil { recordProblem(traffic.redaction.redacted(verdict), message, number) }
        return number
    }

    private func record(
        _ end: ReplyEnd, of message: PostMessage, _ number: Int, after duration: Duration, _ stub: String?
    ) {
        let verdict = end.verdict.answered(by: stub)
        traffic.append(
            .reply(
                handler: message.handler, seq: message.seq, result: end.result, duration: duration, verdict: verdict),
            .toWeb, page, world: message.world)
        if verdict.reason == .noReply || verdict.reason == .replyTimedOut { recordProblem(verdict, message, number) }
        if !isEndingReplies { traffic.flush() }
    }

    /// Records a message whose params are wrong, if they have at least a new number, a handler and a valid body.
    func recordMalformed(_ message: MalformedPageMessage) {
        guard message.method == "message.post", let params = message.params,
            let seq = params["seq"]?.wholeNumber, seq > state.lastSeq,
            let handler = params["handler"]?.string, let body = try? ScriptValue(json: params["body"] ?? .null)
        else { return }
        let verdict = Verdict(
            .dropped, reason: .malformed, expected: "params as in docs/protocol.md", found: message.error.message,
            hint: "bridge.js does not send this. Find out what else connects to the daemon.")
        let shown = PageText.cut(handler, to: PageText.handler)
        traffic.append(.message(handler: shown, name: nil, body: body, seq: seq, verdict: verdict), .toNative, page)
    }

    /// Records a `problem` that refers to the message's record, so that a query for problems also finds dropped
    /// messages.
    func recordProblem(_ verdict: Verdict, _ message: PostMessage, _ record: Int) {
        traffic.problem(
            verdict.reason?.rawValue ?? "", verdict.sentence(about: message), hint: verdict.hint ?? "", page: page,
            about: record)
    }

    // MARK: Replies to the page

    /// Sends the outcome of a message to the page that posted it.
    func send(_ outcome: PostOutcome, of message: PostMessage, id: RequestID?) {
        switch outcome {
        case .handled(let verdict, _):
            if let error = verdict.error(about: message) {
                sendWhenConfirmed { $0.error(id: .null, error) }
            }
            if let id { sendReply(to: message.seq) { $0.valueResult(id: id, .undefined) } }
        case .settled(.success(let value)): sendReply(to: message.seq) { $0.valueResult(id: id ?? .null, value) }
        case .settled(.failure(let error)): sendReply(to: message.seq) { $0.error(id: id ?? .null, error) }
        }
    }

    /// Sends a reply now, and keeps it in case the connection breaks before it arrives.
    private func sendReply(to seq: Int, _ write: (inout JSONWriter) -> Void) {
        guard state.presence != .gone else { return }
        var writer = JSONWriter()
        write(&writer)
        let bytes = writer.bytes
        keep(bytes, to: seq)
        sendWhenConfirmed { $0.raw(bytes) }
    }

    /// Keeps a reply, if there is room.
    func keep(_ reply: [UInt8], to seq: Int) {
        guard state.presence != .gone, hub.takeForReply(ReplyCache.size(of: reply)) else { return }
        let dropped = replyCache.add(reply, to: seq)
        hub.memory.replies.release(dropped.bytes)
        note(.replied(seq: seq, reply: reply, dropped: dropped.seqs))
    }

    /// Sends the replies that a document has missed. A reply that the handler has not given yet is sent later. A reply
    /// that is not kept any more is replaced by an error.
    /// - Parameter waiting: the messages that the page named.
    func sendRepliesAgain(to waiting: [Int], on channel: Channel) {
        guard !waiting.isEmpty else { return }
        let missed = Set(waiting.filter { $0 <= state.lastSeq })
        let replies = replyCache.replies(to: missed)
        sendAgain(replies[...], forgotten: missed.subtracting(replies.map(\.seq)).sorted()[...], on: channel)
    }

    /// Sends replies as fast as the page reads them. There may be more of them than may wait for a page.
    private func sendAgain(
        _ replies: ArraySlice<(seq: Int, bytes: [UInt8])>, forgotten: ArraySlice<Int>, on channel: Channel
    ) {
        // A page that has attached again since has asked for all replies that it still misses.
        guard self.channel === channel else { return }
        var (replies, forgotten) = (replies, forgotten)
        while !channel.isCrowded {
            if let (_, bytes) = replies.popFirst() {
                channel.send { $0.raw(bytes) }
            } else if let seq = forgotten.popFirst() {
                if owedReplies[seq] == nil { channel.send { $0.error(id: RequestID(seq), .forgottenReply) } }
            } else {
                return
            }
        }
        hub.deadlines.schedule(after: .milliseconds(20)) { [weak self, replies, forgotten] in
            self?.sendAgain(replies, forgotten: forgotten, on: channel)
        }
    }

    /// The response that the message with this number got, or an error if it is not kept any more.
    func cachedReply(to seq: Int, id: RequestID) -> [UInt8] {
        if let reply = replyCache.replies(to: [seq]).first { return reply.bytes }
        var writer = JSONWriter()
        writer.error(id: id, .forgottenReply)
        return writer.bytes
    }
}

extension RPCError {
    fileprivate static let forgottenReply = RPCError(
        .queueFull, "The reply was lost with the connection, and the daemon keeps only the latest ones.",
        data: ["limit": .number(Double(ReplyCache.limits.messages))])
}

extension ScriptMessageDispatcher {
    fileprivate func reply(_ body: ScriptValue, _ context: ScriptMessageContext, _ reply: Reply) {
        let verdict = dispatch(body, context: context) { reply.settle($0) }
        if verdict.outcome != .awaitingReply { reply.drop(verdict) }
    }
}

extension Stub {
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
