import BridgeProtocol
import BridgeTraffic

/// The pages of a durable cluster, which may go on with any of its daemons.
extension Hub {
    /// Makes sure that this daemon owns a document that speaks to it, and that it knows what another daemon knew of it.
    /// - Parameters:
    ///   - resumes: whether the document has been attached before, to any daemon.
    ///   - limit: how long this may take.
    ///   - attach: the params of `page.attach`, if the document sent them. Without them nothing can be taken over.
    ///   - proceed: is called with a session that does not resume, if there is one; immediately without a keeper.
    func own(
        _ document: String, resumes: Bool, within limit: Duration, _ attach: AttachPage?, _ sender: PageSender,
        then proceed: @escaping @MainActor (Result<PageSession?, RPCError>) -> Void
    ) {
        let known = registry.latestSession(of: document)
        guard let keeper = gate.keeper, resumes || known != nil else { return proceed(.success(nil)) }
        let origin = sender.origin?.text
        keeper.claim(document, epoch: known?.epoch, origin: origin, within: limit) { [self] claim in
            switch claim {
            case .new, .same: proceed(.success(nil))
            case .refused(let error): proceed(.failure(error))
            case .unanswered(let reason): proceed(.failure(RPCError(.waitTimedOut, reason)))
            case .moved(let state):
                registry.session(of: document)?.moveAway()
                guard let attach else { return proceed(.success(nil)) }
                let session = takeOver(state, attach, sender)
                proceed(.success(state.isGone ? session : nil))
            }
        }
    }

    /// Does as `action`, which handles the body of a beacon or a call, when this daemon owns the document that sent it.
    /// - Parameters:
    ///   - limit: how long this may take.
    ///   - code: of the problem if it cannot be known who owns the document.
    ///   - refused: is called with that problem, which is recorded.
    func owning(
        _ body: [UInt8], from sender: PageSender, within limit: Duration, orElse code: Refusal.Code,
        _ action: @escaping @MainActor () throws(RPCError) -> Void,
        refused: @escaping @MainActor (Refusal) -> Void, failed: @escaping @MainActor (RPCError) -> Void
    ) {
        let proceed = { @MainActor in do throws(RPCError) { try action() } catch { failed(error) } }
        guard gate.hasKeeper, let author = BodyAuthor(body, limits.json) else { return proceed() }
        let (document, known) = (author.document, registry.latestSession(of: author.document))
        // A page that is connected here waits for its call, and must not wait for Redis. Other authors are refused.
        guard author.resumes || known != nil, registry.session(of: document)?.channel == nil,
            maySpeak(sender, for: document)
        else { return proceed() }
        let refuse = { @MainActor [self] (code: Refusal.Code, reason: String) in
            let refusal = Refusal.notHandled(code, author.loss(of: known?.page, because: reason))
            traffic.report(refusal, of: document)
            refused(refusal)
        }
        let bytes = body.capacity + author.size
        // Before the keeper is asked, because it would keep the claim of a request that is refused.
        guard waitingRequests.hasRoom(for: bytes) else { return refuse(.memoryUsedUp, waitingRequests.fullness) }
        waitingRequests.wait(holding: bytes) { report in
            own(document, resumes: author.resumes, within: limit, author.attach, sender, then: report)
        } then: { [waitingRequests] result in
            switch result {
            case .success(.success): proceed()
            case .success(.failure(let error)) where error.code == .waitTimedOut: refuse(code, error.message)
            case .success(.failure(let error)): failed(error)
            case .failure(.noRoom): refuse(.memoryUsedUp, waitingRequests.fullness)
            case .failure(.daemonStops): refuse(code, "the daemon stopped before the cluster's Redis had answered")
            }
        }
    }

    /// Makes a session that goes on where another daemon's has ended.
    private func takeOver(_ state: PageHandOver, _ attach: AttachPage, _ sender: PageSender) -> PageSession {
        evaluationCount = max(evaluationCount, state.lastEvaluation)
        let session = makeSession(attach, sender)
        session.takeOver(state)
        // A beacon or a call may have brought it, whose document does not connect.
        session.waitForConnection()
        // For this daemon and its app the page is new.
        if !state.isGone { session.report(.attached) }
        return session
    }

    /// Ends the sessions of documents that other daemons own now.
    package func lost(_ documents: [(document: String, epoch: Int)]) {
        for (document, epoch) in documents {
            // This daemon may have taken the page over again.
            guard let session = registry.session(of: document), session.epoch == epoch else { continue }
            if let channel = session.channel { close(channel, "another daemon of the cluster has this page") }
            session.moveAway()
        }
    }

    /// The documents that are attached or away.
    package var documents: [String] { registry.sessions.map(\.document) }

    /// All that a keeper needs to know of the pages, for a store that has lost it.
    package func noteAll() {
        for session in registry.sessions { session.noteAll() }
    }
}

extension PageSession {
    var kept: KeptPage { KeptPage(document: document, epoch: epoch, page: page.id) }

    func note(_ change: PageChange) {
        guard let keeper = hub.gate.keeper, !hasMovedAway else { return }
        if !isNoted {
            isNoted = true
            keeper.note(.began(run: run, origin: identity.origin?.text), of: kept)
        }
        keeper.note(change, of: kept)
    }

    /// Sends what a message has led to, on the present connection: a page that attaches anew meanwhile asks for the
    /// replies that it lacks. If another daemon has the page by then, that message had no effect.
    func sendWhenConfirmed(_ write: @escaping @Sendable (inout JSONWriter) -> Void) {
        // No closure is made for what does not wait.
        guard !hub.gate.allIsConfirmed else {
            channel?.send(write)
            return
        }
        hub.gate.whenAllIsConfirmed { [self, channel] in
            if !hasMovedAway { channel?.send(write) }
        }
    }

    func noteAll() {
        isNoted = false
        note(.handled(seq: state.lastSeq))
        for entry in evaluations.all { noteAsked(entry) }
        for (seq, reply) in replyCache.all { note(.replied(seq: seq, reply: reply, dropped: [])) }
    }

    func noteAsked(_ entry: EvaluationQueue.Entry) {
        guard hub.gate.hasKeeper, let text = entry.evaluation.text(world: entry.world) else { return }
        note(.asked(id: entry.id, evaluation: text))
    }

    /// Goes on where another daemon's session has ended.
    fileprivate func takeOver(_ handOver: PageHandOver) {
        epoch = handOver.epoch
        state = PageState(lastSeq: handOver.lastSeq, isKept: true)
        guard !handOver.isGone else { return }
        run = handOver.run
        for (seq, reply) in handOver.replies where hub.takeForReply(ReplyCache.size(of: reply)) {
            hub.memory.replies.release(replyCache.add(reply, to: seq).bytes)
        }
        for (id, text) in handOver.evaluations {
            guard let (evaluation, world) = Evaluation.read(text), hub.memory.calls.take(evaluation.size) else {
                continue
            }
            let entry = EvaluationQueue.Entry(
                id: id, evaluation: evaluation, world: world, size: evaluation.size, started: hub.deadlines.now,
                timeout: hub.limits.evaluationTimeout, completion: nil)
            evaluations.add(entry)
            evaluations.release(through: id)
            checkDeadlines(at: entry.deadline)
        }
    }

    /// Ends the session, because another daemon has the page now. Nothing that it did since is kept.
    fileprivate func moveAway() {
        hasMovedAway = true
        leave()
        failEvaluations()
    }
}

extension Evaluation {
    /// The evaluation as JSON; nil for a command, which ends with the browser's connection.
    func text(world: String?) -> [UInt8]? {
        var writer = JSONWriter()
        switch self {
        case .script(let source, let sourceURL):
            writer.object { writer in
                writer.member("source", source)
                writer.member("sourceURL", ifPresent: sourceURL)
                writer.member("world", ifPresent: world)
            }
        case .asyncFunction(let body, let arguments):
            writer.object { writer in
                writer.member("body", body)
                arguments.write(to: &writer, key: "arguments")
                writer.member("world", ifPresent: world)
            }
        case .command: return nil
        }
        return writer.bytes
    }

    static func read(_ text: [UInt8]) -> (Evaluation, world: String?)? {
        guard let json = try? JSON.parse(text) else { return nil }
        let world = json["world"]?.string
        if let source = json["source"]?.string {
            return (.script(source: source, sourceURL: json["sourceURL"]?.string), world)
        }
        guard let body = json["body"]?.string,
            let arguments = try? ScriptValue(params: json, key: "arguments")
        else { return nil }
        return (.asyncFunction(body: body, arguments: arguments), world)
    }
}
