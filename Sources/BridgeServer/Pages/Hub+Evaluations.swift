import BridgeProtocol
import BridgeTraffic

/// An evaluation's way to a page and back.
extension Hub {
    func evaluate(
        _ evaluation: Evaluation, in page: Page, timeout: Duration?, _ completion: EvaluationCompletion?
    ) {
        guard page.state.presence != .gone else {
            // Never before this method has returned: callers set themselves up after it.
            Task { completion?(.failure(.pageGone(page.id))) }
            return
        }
        guard page.evaluations.count < limits.waitingEvaluations else { return refuse(completion, page) }
        evaluationCount += 1
        let id = evaluationCount
        let entry = Evaluations.Pending(
            id: id, evaluation: evaluation, started: .now, timeout: timeout ?? limits.evaluationTimeout,
            completion: completion)
        page.evaluations.add(entry)
        watch(page, until: entry.deadline)
        switch evaluation {
        case .script(let source, _): traffic.append(.evaluate(id: RequestID(id), source: source), .toWeb, page)
        case .asyncFunction(let body, let arguments):
            traffic.append(.callAsync(id: RequestID(id), body: body, arguments: arguments), .toWeb, page)
        }
        sendEvaluations(to: page)
    }

    /// One timer a page looks for evaluations whose time is over. Most are answered long before, and cost nothing here.
    private func watch(_ page: Page, until deadline: ContinuousClock.Instant) {
        if let nextCheck = page.evaluations.nextCheck, nextCheck <= deadline { return }
        page.evaluations.nextCheck = deadline
        // No weak reference to the page: whatever has one is retained and released more slowly from then on.
        deadlines.schedule(after: deadline - .now) { [weak self, document = page.document] in
            guard let self, let page = pages[document], page.evaluations.nextCheck == deadline else { return }
            failOverdue(of: page)
        }
    }

    private func failOverdue(of page: Page) {
        page.evaluations.nextCheck = nil
        for id in page.evaluations.overdue(at: .now) {
            guard let entry = page.evaluations.take(id) else { continue }
            finish(entry, .failure(.timedOut(entry.timeout)), page)
        }
        traffic.flush()
        if let deadline = page.evaluations.earliestDeadline { watch(page, until: deadline) }
    }

    /// As many as may be on their way. The others follow when the page answers.
    func sendEvaluations(to page: Page) {
        guard let channel = page.channel else { return }
        while page.evaluations.isIdle || !channel.isCrowded, let (id, evaluation) = page.evaluations.nextToSend() {
            let id = RequestID(id)
            channel.send { writer in
                switch evaluation {
                case .script(let source, let sourceURL):
                    writer.scriptEvaluate(id: id, source: source, sourceURL: sourceURL)
                case .asyncFunction(let body, let arguments):
                    writer.scriptCallAsync(id: id, body: body, arguments: arguments)
                }
            }
        }
    }

    private func refuse(_ completion: EvaluationCompletion?, _ page: Page) {
        let limit = limits.waitingEvaluations
        traffic.problem(
            "queueFull", "\(limit) evaluations wait for \(page.id); a further one was refused.",
            hint: "Wait for answers before you ask for more, or look at what keeps the page busy.", page: page)
        Task { completion?(.failure(.queueFull(limit))) }
    }

    /// A page's response. One that nobody waits for comes after a time-out, or is none of ours: it is recorded, not
    /// an error.
    func finish(_ id: RequestID, _ result: Result<ScriptValue, ScriptError>, _ page: Page) {
        guard let number = id.wholeNumber, let entry = page.evaluations.take(number) else {
            return tellLateResult(id, page)
        }
        page.evaluations.noteAnswer(to: number)
        finish(entry, result, page)
    }

    /// The same for a response that is not read yet. Nobody waits for one of a connection that is no page.
    func finish(_ id: RequestID, _ response: Result<JSON, ResponseFailure>, _ page: Page?) {
        if let page { finish(id, response.scriptResult, page) }
    }

    private func tellLateResult(_ id: RequestID, _ page: Page) {
        if let number = id.wholeNumber {
            guard !page.evaluations.isAnswered(number) else { return }
            page.evaluations.noteAnswer(to: number)
        }
        traffic.problem(
            "lateResult", "\(page.id) answered the request \(id), which nobody waits for.",
            hint: "The evaluation had timed out. Give it longer, or look at what keeps the page busy.", page: page)
    }

    private func finish(_ entry: Evaluations.Pending, _ result: Result<ScriptValue, ScriptError>, _ page: Page) {
        let duration = ContinuousClock.now - entry.started
        traffic.append(
            .result(id: RequestID(entry.id), result: result.mapError(\.rpcError), duration: duration), .toNative, page)
        sendEvaluations(to: page)
        entry.completion?(result)
    }

    /// Fails what the document has not answered, but for what it may have left in a beacon that is on its way.
    func failEvaluationsLater(of page: Page) {
        guard !page.evaluations.isEmpty else { return }
        deadlines.schedule(after: limits.beaconTimeout) { [self] in
            guard page.state.presence != .attached else { return }
            failEvaluations(of: page)
            traffic.flush()
        }
    }

    func failEvaluations(of page: Page) {
        for entry in page.evaluations.takeAll() { finish(entry, .failure(.pageGone(page.id)), page) }
    }
}

/// What a page answered instead of a result.
struct ResponseFailure: Error {
    let error: RPCError
    let data: JSON?
}

extension Result<JSON, ResponseFailure> {
    /// What the evaluation's caller gets.
    fileprivate var scriptResult: Result<ScriptValue, ScriptError> {
        switch self {
        case .success(let result):
            do throws(RPCError) {
                return .success(try ScriptValue(params: result, key: "value"))
            } catch {
                return .failure(.rejected(error))
            }
        case .failure(let failure):
            return .failure(
                ScriptError(
                    RPCError(failure.error.code, failure.error.message, data: failure.data.map(JSONValue.init))))
        }
    }
}
