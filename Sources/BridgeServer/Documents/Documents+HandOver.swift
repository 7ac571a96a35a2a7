import BridgeProtocol
import BridgeTraffic

/// The pages of a durable cluster, which may go on with any of its daemons.
extension Documents {
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

    /// Makes a session that goes on where another daemon's has ended.
    private func takeOver(_ state: PageHandOver, _ attach: AttachPage, _ sender: PageSender) -> PageSession {
        evaluations.lastID = max(evaluations.lastID, state.lastEvaluation)
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
        guard let keeper = documents.gate.keeper, !hasMovedAway else { return }
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
        guard !documents.gate.allIsConfirmed else {
            channel?.send(write)
            return
        }
        documents.gate.whenAllIsConfirmed { [self, channel] in
            if !hasMovedAway { channel?.send(write) }
        }
    }

    func noteAll() {
        isNoted = false
        note(.handled(seq: state.lastSeq))
        evaluations.noteAll()
        for (seq, reply) in replyCache.all { note(.replied(seq: seq, reply: reply, dropped: [])) }
    }

    /// Goes on where another daemon's session has ended.
    fileprivate func takeOver(_ handOver: PageHandOver) {
        epoch = handOver.epoch
        state = PageState(lastSeq: handOver.lastSeq, isKept: true)
        guard !handOver.isGone else { return }
        run = handOver.run
        for (seq, reply) in handOver.replies where documents.delivery.memory.take(ReplyCache.size(of: reply)) {
            documents.delivery.memory.release(replyCache.add(reply, to: seq).bytes)
        }
        for (id, text) in handOver.evaluations {
            if let (evaluation, world) = Evaluation.read(text) {
                evaluations.takeOver(evaluation, id: id, world: world)
            }
        }
    }

    /// Ends the session, because another daemon has the page now. Nothing that it did since is kept.
    fileprivate func moveAway() {
        hasMovedAway = true
        leave()
        evaluations.fail()
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
