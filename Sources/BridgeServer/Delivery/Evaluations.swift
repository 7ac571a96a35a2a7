import BridgeProtocol
import BridgeTraffic

/// What native code runs in one page: it sends the evaluations, in order, and hands out their results. On the main actor.
@MainActor final class Evaluations {
    private let page: Page
    private let shared: Shared
    private var queue = EvaluationQueue()
    /// The time of the next check for overdue evaluations.
    private var nextDeadlineCheck: ContinuousClock.Instant?
    /// The channel of the page's connection; nil while it has none.
    var channel: Channel?
    /// Called with each change that a keeper must know.
    var note: @MainActor (PageChange) -> Void = { _ in }

    /// What the evaluations of all pages share.
    @MainActor final class Shared {
        fileprivate let gate: Gate
        fileprivate let memory: MemoryShare
        fileprivate let limits: BridgeServer.Configuration.Limits
        fileprivate let traffic: TrafficLog
        fileprivate let deadlines: Deadlines
        /// The id of the last evaluation. Ids increase over all pages, because a document that gets a new session
        /// remembers the ids that it has answered.
        var lastID = 0

        init(
            _ gate: Gate, _ memory: MemoryShare, _ limits: BridgeServer.Configuration.Limits, _ traffic: TrafficLog,
            _ deadlines: Deadlines
        ) {
            (self.gate, self.memory, self.limits, self.traffic) = (gate, memory, limits, traffic)
            self.deadlines = deadlines
        }
    }

    init(of page: Page, _ shared: Shared) { (self.page, self.shared) = (page, shared) }

    var count: Int { queue.count }

    private var traffic: TrafficLog { shared.traffic }

    /// - Parameters:
    ///   - world: a content world of a driven page; nil for the page's own.
    ///   - timeout: nil for `Limits.evaluationTimeout`.
    func evaluate(
        _ evaluation: Evaluation, _ world: String?, timeout: Duration?, _ completion: EvaluationCompletion?
    ) {
        guard !page.isGone else {
            // The completion must not be called before this method has returned, because callers may not be ready for
            // it.
            traffic.clock.soon { [page] in completion?(.failure(.pageGone(page.id))) }
            return
        }
        guard queue.count < shared.limits.waitingEvaluations else { return refuse(completion) }
        let size = evaluation.size
        guard shared.memory.take(size) else { return refuseForMemory(completion) }
        shared.lastID += 1
        let id = shared.lastID
        record(evaluation, RequestID(id), world)
        let entry = EvaluationQueue.Entry(
            id: id, evaluation: evaluation, world: world, size: size, started: shared.deadlines.now,
            timeout: timeout ?? shared.limits.evaluationTimeout, completion: completion)
        queue.add(entry)
        checkDeadlines(at: entry.deadline)
        noteAsked(entry)
        guard !shared.gate.allIsConfirmed else { return release(id) }
        shared.gate.whenAllIsConfirmed { [self] in release(id) }
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
    private func checkDeadlines(at deadline: ContinuousClock.Instant) {
        if let next = nextDeadlineCheck, next <= deadline { return }
        nextDeadlineCheck = deadline
        shared.deadlines.schedule(after: deadline - shared.deadlines.now) { [weak self] in
            guard let self, nextDeadlineCheck == deadline else { return }
            nextDeadlineCheck = nil
            for entry in queue.removeOverdue(at: shared.deadlines.now) {
                finish(entry, .failure(.timedOut(entry.timeout)))
            }
            traffic.flush()
            if let deadline = queue.earliestDeadline { checkDeadlines(at: deadline) }
        }
    }

    // MARK: Sending

    /// Lets the evaluations up to this id go out.
    private func release(_ id: Int) {
        queue.release(through: id)
        send()
    }

    /// Marks all evaluations as not sent, because the page has a new connection.
    func sendAgain() { queue.sendAgain() }

    /// Sends as many evaluations as may be in flight. The others follow as the page answers.
    func send() {
        guard let channel else { return }
        while let entry = queue.nextToSend(channel.isCrowded) {
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

    private func refuse(_ completion: EvaluationCompletion?) {
        let limit = shared.limits.waitingEvaluations
        traffic.problem(
            "queueFull", "\(limit) evaluations wait for \(page.id); a further one was refused.",
            hint: "Wait for answers before you ask for more, or look at what keeps the page busy.", page: page)
        traffic.clock.soon { completion?(.failure(.queueFull(limit))) }
    }

    private func refuseForMemory(_ completion: EvaluationCompletion?) {
        let limit = shared.memory.limit
        traffic.problem(
            "memoryUsedUp", "All waiting evaluations have \(limit) bytes; a further one, for \(page.id), was refused.",
            hint:
                "Wait for answers before you ask for more, or raise \(setting("max-memory-bytes", "limits.memoryBytes")).",
            page: page)
        traffic.clock.soon { completion?(.failure(.queueFull(limit))) }
    }

    // MARK: Results

    /// Handles the page's response to an evaluation. A response that nobody waits for is recorded as a problem, because
    /// the evaluation has probably timed out. The second response to the same evaluation is ignored.
    func receive(_ result: Result<ScriptValue, ScriptError>, id: RequestID) {
        guard let number = id.wholeNumber, let entry = queue.removeAnswered(number) else {
            return recordLateResult(id)
        }
        finish(entry, result.mapError { $0.reported(byDriver: page.isDriven) })
    }

    private func recordLateResult(_ id: RequestID) {
        if let number = id.wholeNumber {
            guard !queue.isAnswered(number) else { return }
            queue.noteAnswer(to: number)
        }
        traffic.problem(
            "lateResult", "\(page.id) answered the request \(id), which nobody waits for.",
            hint: "The evaluation had timed out. Give it more time, or look at what keeps the page busy.", page: page)
    }

    private func finish(_ entry: EvaluationQueue.Entry, _ result: Result<ScriptValue, ScriptError>) {
        note(.answered(id: entry.id))
        shared.memory.release(entry.size)
        if entry.evaluation.isRecorded {
            let duration = shared.deadlines.now - entry.started
            traffic.append(
                .result(id: RequestID(entry.id), result: result.mapError(\.rpcError), duration: duration), .toNative,
                page, world: entry.world)
        }
        send()
        entry.completion?(result)
    }

    /// Fails the evaluations of a document that was left, after `Limits.beaconTimeout`, because a beacon with their
    /// results may arrive until then.
    func failLater() {
        guard !queue.isEmpty else { return }
        shared.deadlines.schedule(after: shared.limits.beaconTimeout) { [self] in
            guard !page.isAttached else { return }
            fail()
            traffic.flush()
        }
    }

    /// Fails all evaluations, because the document is gone.
    func fail() {
        for entry in queue.removeAll() { finish(entry, .failure(.pageGone(page.id))) }
    }

    // MARK: Other daemons of a cluster

    private func noteAsked(_ entry: EvaluationQueue.Entry) {
        guard shared.gate.hasKeeper, let text = entry.evaluation.text(world: entry.world) else { return }
        note(.asked(id: entry.id, evaluation: text))
    }

    /// Tells a keeper of all that have no result.
    func noteAll() {
        for entry in queue.all { noteAsked(entry) }
    }

    /// Takes over an evaluation from another daemon. Nobody waits for its result here.
    func takeOver(_ evaluation: Evaluation, id: Int, world: String?) {
        guard shared.memory.take(evaluation.size) else { return }
        let entry = EvaluationQueue.Entry(
            id: id, evaluation: evaluation, world: world, size: evaluation.size, started: shared.deadlines.now,
            timeout: shared.limits.evaluationTimeout, completion: nil)
        queue.add(entry)
        queue.release(through: id)
        checkDeadlines(at: entry.deadline)
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
