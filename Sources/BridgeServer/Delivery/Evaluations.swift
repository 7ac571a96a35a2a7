import BridgeProtocol
import BridgeTraffic

/// Runs the evaluations of native code in pages: sends those of each page in order, and passes their results on. On the
/// main actor.
@MainActor final class Evaluations {
    private let gate: Gate
    private let memory: MemoryShare
    private let limits: BridgeServer.Configuration.Limits
    private let traffic: TrafficLog
    private let deadlines: Deadlines
    /// The id of the last evaluation. Ids increase over all pages, because a document that gets a new page remembers the
    /// ids that it has answered.
    private var lastID = 0

    init(
        _ gate: Gate, _ memory: MemoryShare, _ limits: BridgeServer.Configuration.Limits, _ traffic: TrafficLog,
        _ deadlines: Deadlines
    ) {
        (self.gate, self.memory, self.limits, self.traffic) = (gate, memory, limits, traffic)
        self.deadlines = deadlines
    }

    /// - Parameters:
    ///   - world: a content world of a driven page; nil for the page's own.
    ///   - timeout: nil for `Limits.evaluationTimeout`.
    func evaluate(
        _ evaluation: Evaluation, _ world: String?, in page: Page, timeout: Duration?,
        _ completion: EvaluationCompletion?
    ) {
        guard !page.isGone else {
            // The completion must not be called before this method has returned, because callers may not be ready for
            // it.
            traffic.clock.soon { [page] in completion?(.failure(.pageGone(page.id))) }
            return
        }
        guard page.evaluations.count < limits.waitingEvaluations else { return refuse(completion, page) }
        let size = evaluation.size
        guard memory.take(size) else { return refuseForMemory(completion, page) }
        lastID += 1
        let id = lastID
        record(evaluation, RequestID(id), world, page)
        let entry = EvaluationQueue.Entry(
            id: id, evaluation: evaluation, world: world, size: size, started: deadlines.now,
            timeout: timeout ?? limits.evaluationTimeout, completion: completion)
        page.evaluations.add(entry)
        checkDeadlines(of: page, at: entry.deadline)
        noteAsked(entry, of: page)
        guard !gate.allIsConfirmed else { return allow(id, to: page) }
        gate.whenAllIsConfirmed { [self] in allow(id, to: page) }
    }

    private func record(_ evaluation: Evaluation, _ id: RequestID, _ world: String?, _ page: Page) {
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
    private func checkDeadlines(of page: Page, at deadline: ContinuousClock.Instant) {
        if let next = page.evaluations.nextCheck, next.time <= deadline { return }
        deadlines.cancel(page.evaluations.nextCheck?.token)
        // The page is retained until the check is over or `endChecks` cancels it: each use of an object that was weakly
        // referenced once costs more.
        let token = deadlines.schedule(after: deadline - deadlines.now) { [weak self] in
            page.evaluations.nextCheck = nil
            guard let self else { return }
            for entry in page.evaluations.removeOverdue(at: deadlines.now) {
                finish(entry, .failure(.timedOut(entry.timeout)), in: page)
            }
            traffic.flush()
            if let deadline = page.evaluations.earliestDeadline { checkDeadlines(of: page, at: deadline) }
        }
        page.evaluations.nextCheck = (deadline, token)
    }

    /// Ends the checks of a page that has left, which would retain it.
    private func endChecks(of page: Page) {
        deadlines.cancel(page.evaluations.nextCheck?.token)
        page.evaluations.nextCheck = nil
    }

    // MARK: Sending

    /// Allows the evaluations of a page up to this id to be sent, and sends them.
    private func allow(_ id: Int, to page: Page) {
        page.evaluations.allow(through: id)
        send(to: page)
    }

    /// Sends as many evaluations as may be in flight. The others follow as the page answers.
    func send(to page: Page) {
        guard let channel = page.channel else { return }
        while let entry = page.evaluations.nextToSend(channel.isCrowded) {
            let id = RequestID(entry.id)
            channel.send { writer in
                switch entry.evaluation {
                case .script(let source, let sourceURL):
                    PageScript.write(id: id, source: source, sourceURL: sourceURL, world: entry.world, to: &writer)
                case .asyncFunction(let body, let arguments):
                    writer.call(
                        PageScript(.asyncFunction(body: body, arguments: arguments), world: entry.world), id: id)
                case .command(let command): writer.call(command, id: id)
                }
            }
        }
    }

    private func refuse(_ completion: EvaluationCompletion?, _ page: Page) {
        let limit = limits.waitingEvaluations
        traffic.problem(
            .queueFull, "\(limit) evaluations wait for \(page.id); a further one was refused.",
            hint: "Wait for answers before you ask for more, or look at what keeps the page busy.", page: page)
        traffic.clock.soon { completion?(.failure(.queueFull(limit))) }
    }

    private func refuseForMemory(_ completion: EvaluationCompletion?, _ page: Page) {
        let limit = memory.limit
        traffic.problem(
            .memoryUsedUp, "All waiting evaluations have \(limit) bytes; a further one, for \(page.id), was refused.",
            hint:
                "Wait for answers before you ask for more, or raise \(setting("max-memory-bytes", "limits.memoryBytes")).",
            page: page)
        traffic.clock.soon { completion?(.failure(.queueFull(limit))) }
    }

    // MARK: Results

    /// Handles the page's response to an evaluation. A response without a waiting evaluation is recorded as a problem,
    /// because the evaluation has probably timed out. The second response to the same evaluation is ignored.
    func receive(_ result: Result<ScriptValue, ScriptError>, id: RequestID, from page: Page) {
        guard let number = id.wholeNumber, let entry = page.evaluations.removeAnswered(number) else {
            return recordLateResult(id, page)
        }
        finish(entry, result.mapError { $0.reported(byDriver: page.isDriven) }, in: page)
    }

    private func recordLateResult(_ id: RequestID, _ page: Page) {
        if let number = id.wholeNumber {
            guard !page.evaluations.isAnswered(number) else { return }
            page.evaluations.noteAnswer(to: number)
        }
        traffic.problem(
            .lateResult, "\(page.id) answered the request \(id), which is over.",
            hint: "The evaluation had timed out. Give it more time, or look at what keeps the page busy.", page: page)
    }

    private func finish(
        _ entry: EvaluationQueue.Entry, _ result: Result<ScriptValue, ScriptError>, in page: Page
    ) {
        gate.note(.answered(id: entry.id), of: page)
        memory.release(entry.size)
        if entry.evaluation.isRecorded {
            let duration = deadlines.now - entry.started
            traffic.append(
                .result(id: RequestID(entry.id), result: result.mapError(\.rpcError), duration: duration), .toNative,
                page, world: entry.world)
        }
        send(to: page)
        entry.completion?(result)
    }

    /// Fails the evaluations of a document that was left.
    /// - Parameter delay: how long a beacon with their results may take to arrive; nil for `Limits.beaconTimeout`.
    func failLater(in page: Page, after delay: Duration? = nil) {
        guard !page.evaluations.isEmpty else { return endChecks(of: page) }
        deadlines.schedule(after: delay ?? limits.beaconTimeout) { [self] in
            guard !page.isAttached else { return }
            fail(in: page)
            traffic.flush()
        }
    }

    /// Fails all evaluations, because the document is gone.
    func fail(in page: Page) {
        endChecks(of: page)
        for entry in page.evaluations.removeAll() { finish(entry, .failure(.pageGone(page.id)), in: page) }
    }

    // MARK: Other daemons of a cluster

    private func noteAsked(_ entry: EvaluationQueue.Entry, of page: Page) {
        // A command ends with the browser's connection.
        guard gate.hasKeeper, let program = entry.evaluation.program else { return }
        let text = PageScript(program, world: entry.world).text
        gate.note(.asked(id: entry.id, evaluation: Array(text.utf8)), of: page)
    }

    /// Tells the keeper about all evaluations of a page without a result.
    func noteAll(of page: Page) {
        for entry in page.evaluations.all { noteAsked(entry, of: page) }
    }

    /// Makes ids that are higher than one of another daemon.
    func advance(beyond id: Int) { lastID = max(lastID, id) }

    /// Takes over an evaluation from another daemon. No code of this daemon waits for its result.
    func takeOver(_ script: PageScript, id: Int, in page: Page) {
        let evaluation = Evaluation(script.program)
        guard memory.take(evaluation.size) else { return }
        let entry = EvaluationQueue.Entry(
            id: id, evaluation: evaluation, world: script.world, size: evaluation.size, started: deadlines.now,
            timeout: limits.evaluationTimeout, completion: nil)
        page.evaluations.add(entry)
        page.evaluations.allow(through: id)
        checkDeadlines(of: page, at: entry.deadline)
    }
}

extension ScriptError {
    /// The error as a page may report it. Commands derive their exit codes from the other codes, and print the text of
    /// some on several lines; a page must not choose these. A driver has the tools' token, and knows before the daemon
    /// that a document is gone, or too busy for a tap.
    fileprivate func reported(byDriver isDriver: Bool) -> ScriptError {
        switch self {
        case .exception, .resultTypeUnsupported: self
        case .pageGone where isDriver, .timedOut where isDriver: self
        case .rejected(let error) where error.code == .methodNotFound: self
        case .timedOut, .pageGone, .queueFull: .rejected(RPCError(.handlerRejected, description))
        case .rejected(let error): .rejected(RPCError(.handlerRejected, error.message))
        }
    }
}

/// Marks the scripts of tools and tests in the log, so that a replay leaves them out.
package enum ToolScripts {
    @TaskLocal package static var areRunning = false
}
