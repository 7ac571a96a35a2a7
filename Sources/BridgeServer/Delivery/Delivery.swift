import BridgeProtocol
import BridgeTraffic

/// The outcome of a message, for the page or tool that posted it.
enum PostOutcome {
    /// A handler that does not reply handled the message or dropped it. `record` is the number of its record.
    case handled(Verdict, record: Int)
    /// The handler replied with a value or rejected the message, or there is no handler for it.
    case settled(Result<ScriptValue, RPCError>)
}

/// Delivers messages to their handlers, and records the outcomes: message → receiver → verdict → record → reply. On the
/// main actor.
@MainActor final class Delivery {
    let webViews: WebViews
    let traffic: TrafficLog
    let deadlines: Deadlines
    let replies: Replies
    /// How long a handler may take for its reply; nil if it may take as long as it wants.
    private let replyTimeout: Duration?
    /// The member of a message body that holds the message's name.
    private let discriminator: String
    let observedFunctions: ObservedFunctions
    private var toolSeq = 0

    init(
        _ configuration: BridgeServer.Configuration, _ webViews: WebViews, _ replies: Replies, _ traffic: TrafficLog,
        _ deadlines: Deadlines
    ) {
        (self.webViews, self.replies, self.traffic, self.deadlines) = (webViews, replies, traffic, deadlines)
        replyTimeout = configuration.limits.replyTimeout
        discriminator = configuration.discriminator
        observedFunctions = ObservedFunctions(observed: configuration.observed)
    }

    /// The number for a message that a tool posts as a page: -1, -2, and so on. It is never the number of one of the
    /// page's own messages.
    func nextToolSeq() -> Int {
        toolSeq -= 1
        return toolSeq
    }

    /// Delivers a message to its handler, or to the stub that replaces the handler, and records the verdict.
    ///
    /// - Parameter report: is called once with the outcome, now or when the handler replies.
    func deliver(_ message: PostMessage, from page: Page, _ report: @escaping @MainActor (PostOutcome) -> Void) {
        switch webViews.receiver(of: message, from: page) {
        case .stub(let stub): deliver(message, from: page, to: stub, report)
        case .missing(let miss, let recorded): report(.settled(.failure(refuse(message, recorded, miss, page))))
        case .handler(.plain(let handle)):
            let verdict = handle(message.body, context(of: message, page))
            report(.handled(verdict, record: record(message, page, verdict)))
        case .handler(.replying(let handle)): deliver(message, from: page, nil, to: handle, report)
        case .handler(.dispatcher(let dispatcher)):
            let name = messageName(of: message.body)
            let isSameName = dispatcher.discriminator == discriminator
            let match = dispatcher.find(message.body, named: isSameName ? name : nil, to: message.handler)
            guard match.replies else {
                let verdict = dispatcher.dispatch(message.body, match, context: context(of: message, page))
                return report(.handled(verdict, record: record(message, named: name, page, verdict)))
            }
            deliver(message, from: page, nil, to: { dispatcher.reply($0, match, $1, $2) }, report)
        case nil: report(.settled(.failure(refuse(message, page))))
        }
    }

    /// Lets a stub answer a message.
    func deliver(
        _ message: PostMessage, from page: Page, to stub: ToolRules<Stub>.Entry,
        _ report: @escaping @MainActor (PostOutcome) -> Void
    ) {
        let calls = stub.rule.calls
        make(calls.earlier, in: page)
        guard stub.rule.reply.answers else {
            let verdict = Verdict.handled.answered(by: stub.id)
            make(calls.later, in: page)
            return report(.handled(verdict, record: record(message, page, verdict)))
        }
        deliver(message, from: page, stub.id, to: { [self] in answer($2, to: $0, as: stub.rule) }, report)
        make(calls.later, in: page)
    }

    /// Makes a stub's calls into the page, each after its delay.
    func make(_ calls: [StubCall], in evaluator: any ScriptEvaluator) {
        for call in calls {
            guard call.delay > .zero else {
                evaluator.evaluate(call.source, timeout: nil, completion: nil)
                continue
            }
            deadlines.schedule(after: call.delay) { [weak evaluator] in
                evaluator?.evaluate(call.source, timeout: nil, completion: nil)
            }
        }
    }

    func context(of message: PostMessage, _ page: Page) -> ScriptMessageContext {
        ScriptMessageContext(
            handler: message.handler, world: message.world, page: page.id, webView: page.webView, url: page.url,
            seq: message.seq, body: message.body, evaluator: page)
    }

    /// Delivers a message to a handler that replies.
    /// - Parameter stub: the id of the stub that answers in place of the handler; nil if none does.
    func deliver(
        _ message: PostMessage, from page: Page, _ stub: String?,
        to handle: @MainActor (ScriptValue, ScriptMessageContext, Reply) -> Void,
        _ report: @escaping @MainActor (PostOutcome) -> Void
    ) {
        guard page.owedReplies.count < OwedReplies.limit else {
            let limit = OwedReplies.limit
            return report(.settled(.failure(refuse(message, page, .tooManyOwedReplies(limit), limit))))
        }
        guard replies.take(OwedReplies.size) else {
            return report(.settled(.failure(refuse(message, page, .noRoomForReply(replies.limit), replies.limit))))
        }
        let reply = Reply()
        let started = deadlines.now
        // A message in the beacon of a page that is gone is handled, but not answered.
        if page.isGone { reply.settle(.pageGone(page.id)) }
        handle(message.body, context(of: message, page), reply)
        let number = record(message, page, Verdict.awaitingReply.answered(by: stub))
        let deadline = replyTimeout.map { time in
            deadlines.schedule(after: time) { [weak reply] in reply?.settle(.timedOut(time)) }
        }
        page.owedReplies.add(reply, to: message.seq, deadline)
        // The closure retains this object, because the handler may retain the reply for longer than anything retains
        // this object.
        reply.onSettled { [self, message = message.withoutBody] end in
            replies.release(OwedReplies.size)
            deadlines.cancel(page.owedReplies.remove(message.seq))
            record(end, of: message, page, number, after: deadlines.now - started, stub)
            report(.settled(end.result.mapError { RPCError(.handlerRejected, $0.message) }))
        }
    }

    /// Settles every reply that handlers owe a page, in the order of the messages. Their records are written together.
    func endReplies(to page: Page, _ end: ReplyEnd) {
        guard page.owedReplies.count > 0 else { return }
        page.owedReplies.settle(end)
        traffic.flush()
    }

    // MARK: Stubs

    private func answer(_ reply: Reply, to body: ScriptValue, as stub: Stub) {
        guard stub.delay > .zero else { return stub.reply.settle(reply, body) }
        guard case .echo = stub.reply else {
            deadlines.schedule(after: stub.delay) { stub.reply.settle(reply, .null) }
            return
        }
        echo(body, in: reply, after: stub.delay)
    }

    /// Replies with the body after a delay. Until then it is stored as text, because a value takes up to a hundred
    /// times the memory.
    private func echo(_ body: ScriptValue, in reply: Reply, after delay: Duration) {
        var writer = JSONWriter()
        writer.object { body.write(to: &$0, key: "value") }
        let text = writer.bytes
        guard replies.take(text.count) else { return reply.drop(.noRoomForReply(replies.limit)) }
        deadlines.schedule(after: delay) { [replies] in
            replies.release(text.count)
            guard let body = try? ScriptValue(params: JSON.parse(text), key: "value") else { return }
            reply.resolve(body)
        }
    }

    // MARK: Messages without a receiver

    private func refuse(_ message: PostMessage, _ page: Page) -> RPCError {
        let names = webViews.handlerInfo(of: page.webView, isDriven: page.isDriven).filter { $0.world == message.world }
            .map(\.name)
        let isStubbed = names.contains(message.handler)
        record(message, page, isStubbed ? .noStubFits(message) : .noHandler(message, names))
        return RPCError(
            .noSuchHandler,
            isStubbed
                ? "No stub of '\(message.handler)' fits the message." : "No handler is named '\(message.handler)'.",
            data: ["handler": .string(message.handler), "handlers": .array(names.map(JSONValue.string))])
    }

    /// Refuses a message that the cassette does not have.
    private func refuse(
        _ message: PostMessage, _ recorded: Cassette.Message, _ miss: CassettePlayer.Miss, _ page: Page
    ) -> RPCError {
        let verdict = verdict(onMissing: recorded, miss)
        record(message, page, verdict)
        return RPCError(
            .noSuchHandler, "\(verdict.sentence(about: message)) \(verdict.hint ?? "")",
            data: ["handler": .string(message.handler)])
    }

    /// The verdict on a message that the cassette does not have. It quotes no secrets.
    func verdict(onMissing message: Cassette.Message, _ miss: CassettePlayer.Miss) -> Verdict {
        let redaction = traffic.redaction
        let plain = Cassette.Message(message.receiver, redaction.redacted(message.body))
        return redaction.redacted(webViews.verdict(on: plain, miss))
    }

    private func refuse(_ message: PostMessage, _ page: Page, _ verdict: Verdict, _ limit: Int) -> RPCError {
        record(message, page, verdict)
        return RPCError(
            .queueFull, "\(verdict.sentence(about: message)) \(verdict.hint ?? "")",
            data: ["limit": .number(Double(limit))])
    }

    // MARK: Records

    func messageName(of body: ScriptValue) -> String? {
        ScriptMessageDispatcher.messageName(of: body, discriminator: discriminator)
    }

    /// Records a message and its verdict. The record is written before the page learns that the message was handled.
    ///
    /// - Returns: the number of the record.
    @discardableResult
    private func record(_ message: PostMessage, _ page: Page, _ verdict: Verdict) -> Int {
        record(message, named: messageName(of: message.body), page, verdict)
    }

    private func record(_ message: PostMessage, named name: String?, _ page: Page, _ verdict: Verdict) -> Int {
        let number = traffic.append(
            .message(
                handler: message.handler, name: name, body: message.body, seq: message.seq, verdict: verdict),
            .toNative, page, world: message.world)
        if verdict.reason != nil { recordProblem(traffic.redaction.redacted(verdict), message, page, number) }
        return number
    }

    private func record(
        _ end: ReplyEnd, of message: PostMessage, _ page: Page, _ number: Int, after duration: Duration, _ stub: String?
    ) {
        let verdict = end.verdict.answered(by: stub)
        traffic.append(
            .reply(
                handler: message.handler, seq: message.seq, result: end.result, duration: duration, verdict: verdict),
            .toWeb, page, world: message.world)
        if verdict.outcome == .dropped || verdict.reason == .noReply || verdict.reason == .replyTimedOut {
            recordProblem(traffic.redaction.redacted(verdict), message, page, number)
        }
        if !page.owedReplies.areEnding { traffic.flush() }
    }

    /// Records a message whose params are wrong, if they have at least a new number, a handler and a valid body.
    /// - Parameter lastSeq: the number of the last message of the page that was handled.
    func recordMalformed(_ message: MalformedPageMessage, from page: Page, after lastSeq: Int) {
        guard message.method == PageMethod.post.rawValue, let params = message.params,
            let seq = params["seq"]?.wholeNumber, seq > lastSeq,
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
    private func recordProblem(_ verdict: Verdict, _ message: PostMessage, _ page: Page, _ record: Int) {
        traffic.problem(
            verdict.reason ?? ProblemCode(""), verdict.sentence(about: message), hint: verdict.hint ?? "", page: page,
            about: record)
    }
}

extension ScriptMessageDispatcher {
    fileprivate func reply(_ body: ScriptValue, _ match: Match, _ context: ScriptMessageContext, _ reply: Reply) {
        let verdict = dispatch(body, match, context: context) { reply.settle($0) }
        if verdict.outcome != .awaitingReply { reply.drop(verdict) }
    }
}

/// Calls for which the page waits: methods of interface objects, and dialogs.
extension Delivery {
    // MARK: Interface objects

    /// Calls the method of an interface object, and records the call and its outcome.
    func perform(_ call: CallInterface, from page: Page) -> Result<ScriptValue, RPCError> {
        let started = deadlines.now
        let message = call.message
        let object = webViews.interfaceObject(for: message, in: page.webView)
        let outcome = InterfaceCallOutcome(call, of: object, context(of: message, page))
        let carried = object?.methods[call.name]?.message(in: call.arguments)
        let verdict = traffic.redaction.redacted(outcome.verdict)
        let number = traffic.append(
            .message(
                handler: message.handler, name: carried.flatMap(messageName) ?? call.name,
                body: carried ?? message.body, seq: message.seq, verdict: verdict), .toNative, page)
        if verdict.reason != nil {
            let message = PostMessage(seq: message.seq, handler: call.title, body: message.body)
            recordProblem(verdict, message, page, number)
        }
        for coercion in outcome.coercions {
            traffic.problem(.argumentCoerced, coercion.text, hint: coercion.hint, page: page, about: number)
        }
        if case .success(let value) = outcome.result, value.kind != .undefined {
            traffic.append(
                .reply(
                    handler: message.handler, seq: message.seq, result: .success(value),
                    duration: deadlines.now - started, verdict: .replied), .toWeb, page)
        }
        return outcome.result
    }

    // MARK: Dialogs

    /// Shows a dialog to native code. A page opens one with a synchronous call of `window.alert`, `window.confirm` or
    /// `window.prompt`, in the way of an interface object (docs/protocol.md, "Interface calls").
    ///
    /// - Parameter report: is called once, with the value for the page.
    /// - Returns: false if the call does not open a dialog, or if native code answers no dialogs.
    func showDialog(
        _ call: CallInterface, from page: Page, _ report: @escaping @MainActor (Result<ScriptValue, RPCError>) -> Void
    ) -> Bool {
        guard let kind = call.dialogKind else { return false }
        let message = PostMessage(seq: call.message.seq, handler: call.title, body: call.message.body)
        return showDialog(kind, message, from: page, report)
    }

    /// Shows a dialog to native code. It is recorded like a message to a replying handler, and a stub of that name
    /// answers it, too.
    ///
    /// - Parameter message: the dialog as a message to `window.alert`, `window.confirm` or `window.prompt`.
    func showDialog(
        _ kind: Dialog.Kind, _ message: PostMessage, from page: Page,
        _ report: @escaping @MainActor (Result<ScriptValue, RPCError>) -> Void
    ) -> Bool {
        let finish = { @MainActor (outcome: PostOutcome) in
            switch outcome {
            case .settled(let result): report(result)
            case .handled: report(.success(.undefined))
            }
        }
        if let stub = webViews.stub(answering: kind, message.body, of: page.webView) {
            deliver(message, from: page, to: stub, finish)
        } else if let show = webViews.dialogHandler(of: page.webView) {
            deliver(message, from: page, nil, to: { body, _, reply in show(Dialog(kind, body, page, reply)) }, finish)
        } else {
            return false
        }
        return true
    }
}

extension CallInterface {
    /// The kind of the dialog that a page opens by a call; nil if the call is another one. Only a browser opens panels
    /// and asks for media.
    var dialogKind: Dialog.Kind? {
        guard message.handler == "window", let kind = Dialog.Kind(rawValue: name),
            [.alert, .confirm, .prompt].contains(kind)
        else { return nil }
        return kind
    }
}
