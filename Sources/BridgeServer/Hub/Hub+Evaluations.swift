import BridgeProtocol

/// An evaluation's way to a page and back.
extension Hub {
    func evaluate(
        _ evaluation: Evaluation, in page: Page, timeout: Duration?, _ completion: @escaping EvaluationCompletion
    ) {
        guard page.state.presence != .gone else {
            // Never before this method has returned: callers set themselves up after it.
            Task { completion(.failure(.pageGone(page.id))) }
            return
        }
        guard page.evaluations.count < settings.maxWaitingEvaluations else { return refuse(completion, page) }
        evaluationCount += 1
        let id = RequestID.number(Double(evaluationCount))
        let timeout = timeout ?? settings.evaluationTimeout
        let deadline = deadlines.schedule(after: timeout) { [self] in
            finish(id, .failure(.timedOut(timeout)), page)
            traffic.flush()
        }
        page.evaluations.add(
            id, Evaluations.Pending(evaluation: evaluation, started: .now, deadline: deadline, completion: completion))
        switch evaluation {
        case .script(let source, _): traffic.append(.evaluate(id: id, source: source), .toWeb, page)
        case .asyncFunction(let body, let arguments):
            traffic.append(.callAsync(id: id, body: body, arguments: arguments), .toWeb, page)
        }
        sendEvaluations(to: page)
    }

    /// As many as may be on their way. The others follow when the page answers.
    func sendEvaluations(to page: Page) {
        guard let channel = page.channel else { return }
        while page.evaluations.isIdle || !channel.isCrowded, let (id, evaluation) = page.evaluations.nextToSend() {
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

    private func refuse(_ completion: @escaping EvaluationCompletion, _ page: Page) {
        let limit = settings.maxWaitingEvaluations
        traffic.problem(
            "queueFull", "\(limit) evaluations wait for \(page.id); a further one was refused.",
            hint: "Wait for answers before you ask for more, or look at what keeps the page busy.", page: page)
        Task { completion(.failure(.queueFull(limit))) }
    }

    /// A page's response. One that nobody waits for comes after a time-out, or is none of ours: it is recorded, not
    /// an error.
    func finish(_ id: RequestID, _ response: Result<JSON, ResponseFailure>, _ page: Page) {
        defer { page.evaluations.noteAnswer(to: id) }
        switch response {
        case .success(let result):
            do throws(RPCError) {
                finish(id, .success(try ScriptValue(params: result, key: "value")), page)
            } catch {
                finish(id, .failure(.rejected(error)), page)
            }
        case .failure(let failure):
            finish(
                id, .failure(ScriptError(code: failure.error.code, message: failure.error.message, data: failure.data)),
                page)
        }
    }

    private func finish(_ id: RequestID, _ result: Result<ScriptValue, ScriptError>, _ page: Page) {
        guard let entry = page.evaluations.take(id) else {
            guard !page.evaluations.isAnswered(id) else { return }
            return traffic.problem(
                "lateResult", "\(page.id) answered the request \(id), which nobody waits for.",
                hint: "The evaluation had timed out. Give it longer, or look at what keeps the page busy.", page: page)
        }
        deadlines.cancel(entry.deadline)
        let duration = ContinuousClock.now - entry.started
        traffic.append(.result(id: id, result: result.mapError(\.rpcError), duration: duration), .toNative, page)
        sendEvaluations(to: page)
        entry.completion(result)
    }

    /// Fails what the document has not answered, but for what it may have left in a beacon that is on its way.
    func failEvaluationsLater(of page: Page) {
        guard !page.evaluations.isEmpty else { return }
        deadlines.schedule(after: settings.beaconTimeout) { [self] in
            guard page.state.presence != .attached else { return }
            failEvaluations(of: page)
            traffic.flush()
        }
    }

    func failEvaluations(of page: Page) {
        for (id, entry) in page.evaluations.takeAll() {
            deadlines.cancel(entry.deadline)
            let result = Result<ScriptValue, ScriptError>.failure(.pageGone(page.id))
            let duration = ContinuousClock.now - entry.started
            traffic.append(.result(id: id, result: result.mapError(\.rpcError), duration: duration), .toNative, page)
            entry.completion(result)
        }
    }
}

/// What a page answered instead of a result.
struct ResponseFailure: Error {
    let error: RPCError
    let data: JSON?
}
