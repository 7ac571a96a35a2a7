import BridgeProtocol
import BridgeTraffic

/// Sends evaluations to the page and handles its responses.
extension PageSession {
    /// - Parameters:
    ///   - world: a content world of a driven page; nil for the page's own.
    ///   - timeout: nil for `Limits.evaluationTimeout`.
    func evaluate(
        _ evaluation: Evaluation, _ world: String? = nil, timeout: Duration?, _ completion: EvaluationCompletion?
    ) {
        guard state.presence != .gone else {
            // The completion must not be called before this method has returned, because callers may not be ready for
            // it.
            traffic.clock.soon { [page] in completion?(.failure(.pageGone(page.id))) }
            return
        }
        let hub = hub
        guard evaluations.count < hub.limits.waitingEvaluations else { return refuseEvaluation(completion) }
        let size = evaluation.size
        guard hub.memory.calls.take(size) else { return refuseForMemory(completion) }
        let id = hub.nextEvaluationID()
        record(evaluation, RequestID(id), world)
        let entry = EvaluationQueue.Entry(
            id: id, evaluation: evaluation, world: world, size: size, started: hub.deadlines.now,
            timeout: timeout ?? hub.limits.evaluationTimeout, completion: completion)
        evaluations.add(entry)
        checkDeadlines(at: entry.deadline)
        noteAsked(entry)
        guard !hub.gate.allIsConfirmed else { return release(id) }
        hub.gate.whenAllIsConfirmed { [self] in release(id) }
    }

    /// Lets the evaluations up to this id go out.
    private func release(_ id: Int) {
        evaluations.release(through: id)
        sendEvaluations()
    }

    private func record(_ evaluation: Evaluation, _ id: RequestID, _ world: String?) {
        let event: TrafficRecord.Event
        switch evaluation {
        case .script(let source, _): event = .evaluate(id: id, source: source)
        case .asyncFunction(let body, let arguments): event = .callAsync(id: id, body: body, arguments: arguments)
        case .command: return
        }
        traffic.append(event, .toWeb, page, world: world, isByTool: ToolScripts.areRunning)
    }

    /// Schedules a check for overdue evaluations at `deadline`, unless an earlier one is scheduled. One check at a time
    /// is enough, because nearly all evaluations are answered long before their deadlines.
    func checkDeadlines(at deadline: ContinuousClock.Instant) {
        if let nextDeadlineCheck, nextDeadlineCheck <= deadline { return }
        nextDeadlineCheck = deadline
        hub.deadlines.schedule(after: deadline - hub.deadlines.now) { [weak self] in
            guard let self, nextDeadlineCheck == deadline else { return }
            nextDeadlineCheck = nil
            for entry in evaluations.removeOverdue(at: hub.deadlines.now) {
                finish(entry, .failure(.timedOut(entry.timeout)))
            }
            traffic.flush()
            if let deadline = evaluations.earliestDeadline { checkDeadlines(at: deadline) }
        }
    }

    /// Sends as many evaluations as may be in flight. The others follow as the page answers.
    func sendEvaluations() {
        guard let channel else { return }
        while let entry = evaluations.nextToSend(channel.isCrowded) {
            let id = RequestID(entry.id)
            channel.send { writer in
                switch entry.evaluation {
                case .script(let source, let sourceURL):
                    writer.scriptEvaluate(id: id, source: source, sourceURL: sourceURL, world: entry.world)
                case .asyncFunction(let body, let arguments):
                    writer.scriptCallAsync(id: id, body: body, arguments: arguments, world: entry.world)
                case .command(let method, let params): writer.driverRequest(id: id, method, params)
                }
            }
        }
    }

    private func refuseEvaluation(_ completion: EvaluationCompletion?) {
        let limit = hub.limits.waitingEvaluations
        traffic.problem(
            "queueFull", "\(limit) evaluations wait for \(page.id); a further one was refused.",
            hint: "Wait for answers before you ask for more, or look at what keeps the page busy.", page: page)
        traffic.clock.soon { completion?(.failure(.queueFull(limit))) }
    }

    private func refuseForMemory(_ completion: EvaluationCompletion?) {
        let limit = hub.memory.calls.limit
        traffic.problem(
            "memoryUsedUp", "All waiting evaluations have \(limit) bytes; a further one, for \(page.id), was refused.",
            hint:
                "Wait for answers before you ask for more, or raise \(setting("max-memory-bytes", "limits.memoryBytes")).",
            page: page)
        traffic.clock.soon { completion?(.failure(.queueFull(limit))) }
    }

    /// Handles the page's response to an evaluation. A response that nobody waits for is recorded as a problem, because
    /// the evaluation has probably timed out. The second response to the same evaluation is ignored.
    func receive(_ result: Result<ScriptValue, ScriptError>, id: RequestID) {
        guard let number = id.wholeNumber, let entry = evaluations.removeAnswered(number) else {
            return recordLateResult(id)
        }
        finish(entry, result.mapError { $0.reported(byDriver: page.isDriven) })
    }

    private func recordLateResult(_ id: RequestID) {
        if let number = id.wholeNumber {
            guard !evaluations.isAnswered(number) else { return }
            evaluations.noteAnswer(to: number)
        }
        traffic.problem(
            "lateResult", "\(page.id) answered the request \(id), which nobody waits for.",
            hint: "The evaluation had timed out. Give it more time, or look at what keeps the page busy.", page: page)
    }

    private func finish(_ entry: EvaluationQueue.Entry, _ result: Result<ScriptValue, ScriptError>) {
        let hub = hub
        note(.answered(id: entry.id))
        hub.memory.calls.release(entry.size)
        if entry.evaluation.isRecorded {
            let duration = hub.deadlines.now - entry.started
            traffic.append(
                .result(id: RequestID(entry.id), result: result.mapError(\.rpcError), duration: duration), .toNative,
                page, world: entry.world)
        }
        sendEvaluations()
        entry.completion?(result)
    }

    /// Fails the evaluations of a document that was left, after `Limits.beaconTimeout`, because a beacon with their
    /// results may arrive until then.
    func failEvaluationsLater() {
        guard !evaluations.isEmpty else { return }
        hub.deadlines.schedule(after: hub.limits.beaconTimeout) { [self] in
            guard state.presence != .attached else { return }
            failEvaluations()
            traffic.flush()
        }
    }

    func failEvaluations() {
        for entry in evaluations.removeAll() { finish(entry, .failure(.pageGone(page.id))) }
    }
}

extension ScriptError {
    /// The error if a page may report it. Commands derive their exit codes from the other codes, and print the text of
    /// some on several lines; a page must not choose these. A driver has the tools' token, and knows before the daemon
    /// that a document is gone.
    fileprivate func reported(byDriver isDriver: Bool) -> ScriptError {
        switch self {
        case .exception, .resultTypeUnsupported: self
        case .pageGone where isDriver: self
        case .rejected(let error) where error.code == .methodNotFound: self
        case .timedOut, .pageGone, .queueFull: .rejected(RPCError(.handlerRejected, description))
        case .rejected(let error): .rejected(RPCError(.handlerRejected, error.message))
        }
    }
}

/// Tells the scripts of tools and tests from those of native code in the log, so that a replay leaves them out.
package enum ToolScripts {
    @TaskLocal package static var areRunning = false
}
