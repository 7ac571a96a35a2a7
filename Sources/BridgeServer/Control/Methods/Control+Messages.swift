import BridgeProtocol

extension Control {
    func addMessageMethods() {
        dispatcher.on(PostAsPage.self) { [unowned self] params, _ throws(RPCError) in
            let page = try await pageWaiters.page(at: params.address, within: params.timeout ?? pageTimeout)
            let message = PostMessage(seq: parts.delivery.nextToolSeq(), handler: params.handler, body: params.body)
            let timeout = params.timeout ?? limits.evaluationTimeout
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
            let deadline = parts.deadlines.schedule(after: timeout) { answer(nil) }
            parts.delivery.deliver(message, from: page) { [parts] outcome in
                parts.deadlines.cancel(deadline)
                answer(outcome)
            }
        }
    }

    private func result(of outcome: PostOutcome, _ message: PostMessage) throws(RPCError) -> ControlResult {
        switch outcome {
        case .handled(let verdict, let record):
            if let error = verdict.error(about: message) { throw error }
            return ControlResult(members: { writer in
                ScriptValue.undefined.write(to: &writer, key: "value")
                writer.member("record", record)
                writer.member("verdict", verdict)
            })
        case .settled(let result): return .value(try result.get())
        }
    }
}
