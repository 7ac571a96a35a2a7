import BridgeProtocol
import BridgeTraffic

/// What became of a message, for whoever posted it.
enum PostOutcome {
    /// A plain handler had it, or could not use it; the number is its record's.
    case handled(Verdict, record: Int)
    case replied(ScriptValue)
    /// The handler rejected, with this text.
    case rejected(String)
    /// Nobody had it.
    case refused(RPCError)
}

/// A message's way from `message.post` to its verdict.
extension Hub {
    /// What a page posted.
    func post(_ params: JSON, _ id: RequestID?, _ page: Page) throws(RPCError) {
        let message: PostMessage
        do throws(RPCError) { message = try PostMessage(params: params) } catch {
            recordMalformed(params, error, page)
            throw error
        }
        post(message, id, page)
    }

    func post(_ message: PostMessage, _ id: RequestID?, _ page: Page) {
        guard !keepsBack(message, id, page), page.state.accept(message.seq) else { return }
        deliver(message, page) { [self] outcome in tell(page, outcome, of: message, id) }
    }

    /// Hands a message to its handler, or to the stub that takes the handler's place, and records both ends.
    /// - Parameter tell: is called once with the outcome, at once or when the handler replies.
    func deliver(_ message: PostMessage, _ page: Page, _ tell: @escaping @MainActor (PostOutcome) -> Void) {
        let stub = stubs.take(message.handler, webView: page.webView, body: message.body)
        let handler = stub?.answer(with: deadlines) ?? self.handler(message.handler, of: page.webView)
        if handler != nil { messageCounts[message.handler, default: 0] += 1 }
        switch handler {
        case .plain(let handle):
            let verdict = handle(message.body, context(of: message, page)).answered(by: stub)
            tell(.handled(verdict, record: record(message, verdict, page)))
        case .replying(let handle):
            deliver(message, page, stub, to: handle, tell)
        case nil:
            refuse(message, page, tell)
        }
    }

    func context(of message: PostMessage, _ page: Page) -> ScriptMessageContext {
        ScriptMessageContext(
            handler: message.handler, page: page.id, webView: page.webView, url: page.frame.url, seq: message.seq,
            evaluator: page)
    }

    private func refuse(_ message: PostMessage, _ page: Page, _ tell: @MainActor (PostOutcome) -> Void) {
        let names = handlerInfo(of: page.webView).map(\.name)
        let isStubbed = names.contains(message.handler)
        let verdict =
            isStubbed ? Verdict.noStubFits(message) : Verdict.noHandler(message.handler, names)
        record(message, verdict, page)
        let text =
            isStubbed
            ? "No stub of '\(message.handler)' fits the message." : "No handler is named '\(message.handler)'."
        tell(
            .refused(
                RPCError(
                    .noSuchHandler, text,
                    data: ["handler": .string(message.handler), "handlers": .array(names.map { .string($0) })])))
    }

    // MARK: Records

    /// What tells where it wanted to go has a verdict of its own, whatever else is wrong with it.
    private func recordMalformed(_ params: JSON, _ error: RPCError, _ page: Page) {
        guard let seq = params["seq"]?.wholeNumber, let handler = params["handler"]?.string,
            let body = try? ScriptValue(json: params["body"] ?? .null), seq > page.state.lastSeq
        else { return }
        let verdict = Verdict(
            .dropped, reason: .malformed, expected: "params as docs/protocol.md has them", found: error.message,
            hint: "bridge.js sends none such; look at what else talks to the daemon.")
        traffic.append(.message(handler: handler, name: nil, body: body, seq: seq, verdict: verdict), .toNative, page)
    }

    /// The log holds the message before the page hears that it was handled.
    /// - Returns: the record's number.
    @discardableResult
    func record(_ message: PostMessage, _ verdict: Verdict, _ page: Page) -> Int {
        let verdict = traffic.redaction.redacted(verdict)
        let record = traffic.append(
            .message(
                handler: message.handler,
                name: ScriptMessageDispatcher.messageName(of: message.body, discriminator: discriminator),
                body: message.body, seq: message.seq, verdict: verdict), .toNative, page)
        if verdict.reason != nil { tellProblem(verdict, message, record, page) }
        return record
    }

    /// The same beside the message's record, so that `kind:problem` finds all that went wrong.
    func tellProblem(_ verdict: Verdict, _ message: PostMessage, _ record: Int, _ page: Page) {
        traffic.problem(
            verdict.reason?.rawValue ?? "", verdict.sentence(about: message), hint: verdict.hint ?? "", page: page,
            about: record)
    }

    // MARK: Back to the page

    private func tell(_ page: Page, _ outcome: PostOutcome, of message: PostMessage, _ id: RequestID?) {
        switch outcome {
        case .handled(let verdict, _):
            if let error = verdict.error(about: message) { page.channel?.send { $0.error(id: .null, error) } }
            if let id { page.answer(message.seq) { $0.valueResult(id: id, .undefined) } }
        case .replied(let value): page.answer(message.seq) { $0.valueResult(id: id ?? .null, value) }
        case .rejected(let text):
            page.answer(message.seq) { $0.error(id: id ?? .null, RPCError(.handlerRejected, text)) }
        case .refused(let error): page.answer(message.seq) { $0.error(id: id ?? .null, error) }
        }
    }

    /// One acknowledgement for all that a round brought, after its records are written.
    func acknowledge(_ connection: PageConnection) {
        guard let page = connection.page, let seq = page.state.acknowledge() else { return }
        connection.channel.send { $0.pageAck(seq: seq) }
    }
}

extension Verdict {
    fileprivate static func noHandler(_ handler: String, _ names: [String]) -> Verdict {
        Verdict(
            .dropped, reason: .noHandler, expected: "a handler: \(names.joined(separator: ", "))", found: handler,
            at: "/handler",
            hint: names.isEmpty
                ? "Register a handler named '\(handler)'."
                : "Post to \(names.joined(separator: " or ")), or register a handler named '\(handler)'.")
    }

    fileprivate static func noStubFits(_ message: PostMessage) -> Verdict {
        Verdict(
            .dropped, reason: .noStubFits, expected: "a body that one of the handler's stubs fits",
            found: message.body.summary,
            hint: "Make a stub of '\(message.handler)' without a match: it takes what no other takes.")
    }

    fileprivate func sentence(about message: PostMessage) -> String {
        "A message to \(message.handler) was \(self)."
    }

    /// What the handler could not use. The page's promise is fulfilled all the same, as in WebKit; its console says what
    /// native code would keep to itself, and a tool gets it for an answer.
    func error(about message: PostMessage) -> RPCError? {
        guard let reason else { return nil }
        return RPCError(
            .handlerRejected, [sentence(about: message), hint].compactMap(\.self).joined(separator: " "),
            data: [
                "handler": .string(message.handler), "seq": .number(Double(message.seq)),
                "reason": .string(reason.rawValue),
            ])
    }

    func answered(by stub: Stub?) -> Verdict {
        guard let stub else { return self }
        var verdict = self
        verdict.stub = stub.id
        return verdict
    }
}
