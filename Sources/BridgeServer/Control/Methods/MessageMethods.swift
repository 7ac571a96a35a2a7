import BridgeProtocol

/// Posts messages of tools as if pages had posted them. On the main actor.
@MainActor struct MessageMethods {
    let delivery: Delivery
    let pages: PageWaiters
    /// How long a handler may take to reply if the call names no time.
    let timeout: Duration

    func install(in dispatcher: ControlDispatcher) {
        dispatcher.on(PostAsPage.self) { params, _ throws(RPCError) in
            let page = try await pages.page(at: params.address, within: params.timeout)
            let message = PostMessage(seq: delivery.nextToolSeq(), handler: params.handler, body: params.body)
            let timeout = params.timeout ?? timeout
            guard !page.isGone else { throw ScriptError.pageGone(page.id).rpcError }
            guard let outcome = await outcome(of: message, page, within: timeout) else {
                throw .waitTimedOut("The handler '\(params.handler.forText)' did not reply", after: timeout)
            }
            return try result(of: outcome, message)
        }
    }

    /// Delivers a message and waits for its outcome.
    /// - Returns: nil if the handler does not reply within `timeout`.
    private func outcome(
        of message: PostMessage, _ page: Page, within timeout: Duration
    ) async -> PostOutcome? {
        await withCheckedContinuation { continuation in
            let answer = Once<PostOutcome?> { continuation.resume(returning: $0) }
            let deadline = delivery.deadlines.schedule(after: timeout) { answer(nil) }
            delivery.deliver(message, from: page) { outcome in
                delivery.deadlines.cancel(deadline)
                answer(outcome)
            }
        }
    }

    private func result(of outcome: PostOutcome, _ message: PostMessage) throws(RPCError) -> ControlResult {
        switch outcome {
        case .handled(let verdict, let record):
            if let error = verdict.error(aboutMessage: message.seq, to: message.handler) {
                throw error.seeing(verdict.reason?.page ?? "verdicts.md")
            }
            return ControlResult(members: { writer in
                ScriptValue.undefined.write(to: &writer, key: "value")
                writer.member("record", record)
                writer.member("verdict", verdict)
            })
        case .settled(let result): return .value(try result.get())
        }
    }
}
