import BridgeProtocol

/// A message's way from `message.post` to its verdict.
extension Hub {
    func post(_ params: JSON, _ id: RequestID?, _ page: Page) throws(RPCError) {
        let message = try PostMessage(params: params)
        guard page.state.accept(message.seq) else { return }
        switch scope(of: page.webView).handlers[message.handler] {
        case .plain(let handle):
            let verdict = handle(message.body, context(of: message, page))
            record(message, verdict, page)
            if let id { page.channel?.send { $0.valueResult(id: id, .undefined) } }
        case .replying(let handle):
            let reply = Reply()
            let started = ContinuousClock.now
            handle(message.body, context(of: message, page), reply)
            record(message, reply.verdict, page)
            reply.onSettled { [self] outcome in
                answer(message, id, outcome, after: ContinuousClock.now - started, page)
            }
        case nil:
            refuse(message, id, page)
        }
    }

    private func context(of message: PostMessage, _ page: Page) -> ScriptMessageContext {
        ScriptMessageContext(
            handler: message.handler, page: page.id, webView: page.webView, url: page.frame.url, seq: message.seq,
            evaluator: page)
    }

    /// The log holds the message before the page hears that it was handled.
    private func record(_ message: PostMessage, _ verdict: Verdict, _ page: Page) {
        traffic.append(
            .message(
                handler: message.handler, name: ScriptMessageDispatcher.messageName(of: message.body),
                body: message.body,
                seq: message.seq, verdict: verdict), .toNative, page)
        guard let reason = verdict.reason else { return }
        traffic.problem(
            reason.rawValue, "A message to \(message.handler) was \(verdict).", hint: verdict.hint ?? "", page: page)
    }

    private func refuse(_ message: PostMessage, _ id: RequestID?, _ page: Page) {
        let names = scope(of: page.webView).handlers.keys.sorted()
        let verdict = Verdict(
            .dropped, reason: .noHandler, expected: "a handler: \(names.joined(separator: ", "))",
            found: message.handler,
            at: "/handler",
            hint: names.isEmpty
                ? "Register a handler named '\(message.handler)'."
                : "Post to \(names.joined(separator: " or ")), or register a handler named '\(message.handler)'.")
        record(message, verdict, page)
        let error = RPCError(
            .noSuchHandler, "No handler is named '\(message.handler)'.",
            data: ["handler": .string(message.handler), "handlers": .array(names.map { .string($0) })])
        page.channel?.send { $0.error(id: id ?? .null, error) }
    }

    private func answer(
        _ message: PostMessage, _ id: RequestID?, _ outcome: Reply.Outcome, after duration: Duration, _ page: Page
    ) {
        let id = id ?? .null
        switch outcome {
        case .value(let value):
            traffic.append(
                .reply(
                    handler: message.handler, seq: message.seq, result: .success(value), duration: duration,
                    verdict: Verdict(.replied)), .toWeb, page)
            traffic.flush()
            page.channel?.send { $0.valueResult(id: id, value) }
        case .error(let text):
            let error = RPCError(.handlerRejected, text)
            traffic.append(
                .reply(
                    handler: message.handler, seq: message.seq, result: .failure(error), duration: duration,
                    verdict: Verdict(.rejected)), .toWeb, page)
            traffic.flush()
            page.channel?.send { $0.error(id: id, error) }
        }
    }

    /// One acknowledgement for all that a frame brought, after its records are written.
    func acknowledge(_ attendance: Attendance) {
        guard let page = attendance.page, let seq = page.state.acknowledge() else { return }
        attendance.channel.send { $0.pageAck(seq: seq) }
    }
}
