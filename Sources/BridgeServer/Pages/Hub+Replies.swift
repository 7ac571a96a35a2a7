import BridgeProtocol
import BridgeTraffic

/// Messages whose handler replies: each gets one end, whatever the handler does.
extension Hub {
    /// A reply that a handler owes. The handler alone keeps it alive: one that is let go of is an answer, too.
    struct AwaitedReply {
        weak var reply: Reply?
        let deadline: Deadlines.Token?
    }

    /// - Parameter tell: is called once, at once or later.
    func deliver(
        _ message: PostMessage, _ page: Page, _ stub: Stub?,
        to handle: @MainActor (ScriptValue, ScriptMessageContext, Reply) -> Void,
        _ tell: @escaping @MainActor (PostOutcome) -> Void
    ) {
        let reply = Reply()
        let started = ContinuousClock.now
        // What came by beacon from a page that is gone is handled, and not answered.
        if page.state.presence == .gone { reply.settle(.pageGone(page.id)) }
        handle(message.body, context(of: message, page), reply)
        let record = record(message, Verdict.awaitingReply.answered(by: stub), page)
        let deadline = limits.replyTimeout.map { time in
            deadlines.schedule(after: time) { [weak reply] in reply?.settle(.timedOut(time)) }
        }
        page.awaited[message.seq] = AwaitedReply(reply: reply, deadline: deadline)
        reply.onSettled { [self] end in
            deadlines.cancel(page.awaited.removeValue(forKey: message.seq)?.deadline)
            self.record(end, of: message, record, after: ContinuousClock.now - started, page, stub)
            tell(PostOutcome(end))
        }
    }

    private func record(
        _ end: ReplyEnd, of message: PostMessage, _ number: Int, after duration: Duration, _ page: Page, _ stub: Stub?
    ) {
        let verdict = end.verdict.answered(by: stub)
        traffic.append(
            .reply(
                handler: message.handler, seq: message.seq, result: end.result, duration: duration, verdict: verdict),
            .toWeb, page)
        if verdict.reason == .noReply || verdict.reason == .replyTimedOut {
            tellProblem(verdict, message, number, page)
        }
        traffic.flush()
    }

    /// No page, or no daemon, is left for these replies.
    func endReplies(of page: Page, _ end: ReplyEnd) {
        for (_, awaited) in page.awaited.sorted(by: { $0.key < $1.key }) { awaited.reply?.settle(end) }
    }

    /// The daemon stops: what handlers still owe is given up.
    func endReplies() {
        for page in pagesInOrder { endReplies(of: page, .daemonStopped) }
    }
}

extension PostOutcome {
    fileprivate init(_ end: ReplyEnd) {
        switch end.result {
        case .success(let value): self = .replied(value)
        case .failure(let error): self = .rejected(error.message)
        }
    }
}
