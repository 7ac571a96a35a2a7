import BridgeProtocol
package import BridgeTraffic
import DequeModule

/// Knows every document that has attached: it makes and resumes their sessions, and lets messages wait for those of the
/// document before. On the main actor.
@MainActor package final class Documents {
    let limits: BridgeServer.Configuration.Limits
    package let traffic: TrafficLog
    let deadlines: Deadlines
    let webViews: WebViews
    let gate: Gate
    let delivery: Delivery
    let origins: Origins
    let missingScripts: MissingScripts
    /// What the evaluations of all pages share.
    let evaluations: Evaluations.Shared
    let passwords = Passwords()
    /// Tells pages in which run of the daemon they attached: the time at which it began, in microseconds.
    package let run: Int
    private(set) var registry = PageRegistry()
    /// Called when a page attaches, comes back, changes, loses its connection or is gone.
    private var observers: [@MainActor (TrafficRecord.PageEvent, Page) -> Void] = []
    /// The memory of all messages that are held back for previous documents, in bytes.
    private var heldBackBytes = 0
    /// What the ids of pages begin with: the name of the daemon's node and a dot, in a cluster.
    var pagePrefix = ""
    private(set) var isStopping = false
    /// Closes the connection of a page, which will attach again; with the reason.
    var close: @MainActor (Channel, _ reason: String) -> Void = { _, _ in }

    init(
        _ limits: BridgeServer.Configuration.Limits, _ webViews: WebViews, _ gate: Gate, _ delivery: Delivery,
        _ evaluations: Evaluations.Shared, _ origins: Origins, _ missingScripts: MissingScripts
    ) {
        (self.limits, self.webViews, self.gate, self.delivery) = (limits, webViews, gate, delivery)
        (self.evaluations, self.origins, self.missingScripts) = (evaluations, origins, missingScripts)
        (traffic, deadlines) = (delivery.traffic, delivery.deadlines)
        run = Int(traffic.clock.timestamp.microseconds)
        delivery.memory.pages = { [weak self] in self?.registry.sessions ?? [] }
        missingScripts.documentCount = { [weak self] in self.flatMap { $0.isStopping ? nil : $0.registry.count } }
        origins.onChange = { [weak self] in self?.moveToOtherWebViews() }
        webViews.forEachConnectedPage = { [weak self] body in
            for session in self?.registry.sessions ?? [] { session.channel.map { body(session.page, $0) } }
        }
    }

    /// The pages that are attached or away, oldest first.
    package var pages: [Page] { registry.sessions.map(\.page) }

    func observe(_ observer: @escaping @MainActor (TrafficRecord.PageEvent, Page) -> Void) {
        observers.append(observer)
    }

    /// - Parameter recorded: the event in the record, if it says more than the one that observers get.
    func report(_ event: TrafficRecord.PageEvent, _ page: Page, recorded: TrafficRecord.PageEvent? = nil) {
        traffic.append(.page(recorded ?? event), .toNative, page)
        for observer in observers { observer(event, page) }
        webViews.scope(of: page.webView).pageObserver?(event, page)
    }

    /// From now on no message waits for the previous document's, because a daemon that stops accepts no more beacons.
    package func beginStopping() {
        isStopping = true
        for session in registry.waitingSessions { session.endPredecessorWait() }
    }

    /// Settles all replies that handlers have not given yet, because the daemon has stopped.
    package func endReplies() {
        isStopping = false
        for session in registry.sessions { delivery.endReplies(to: session.page, .daemonStopped) }
    }

    // MARK: Sessions

    /// Makes a session. A new main-frame document replaces the one that its web view showed before.
    func makeSession(_ attach: AttachPage, _ sender: PageSender) -> PageSession {
        let identity = PageIdentity(attach, sender)
        if attach.frame.isMainFrame { endPredecessors(in: origins.app.webView(of: identity)) }
        // Documents that come and go faster than they are forgotten must not fill the memory.
        if registry.sessions.count >= 2 * limits.connections { registry.sessions.first(where: \.isAway)?.leave() }
        return registry.add(attach, identity, in: self)
    }

    /// Adds the session of a document that has left already.
    func add(_ attach: AttachPage, _ sender: PageSender) -> PageSession {
        registry.add(attach, PageIdentity(attach, sender), in: self)
    }

    /// Whether the document resumes a session that this run of the daemon does not know: it was attached to an earlier
    /// run, or its session was forgotten.
    func isUnknown(_ attach: AttachPage) -> Bool {
        attach.resume && registry.latestSession(of: attach.document) == nil
    }

    /// Ends the sessions of the main document that a web view showed before and of its frames, if they have lost their
    /// connections. A frame that attached after the main document had left belongs to the new document, because a frame
    /// may attach before its main document.
    private func endPredecessors(in webView: String) {
        let left = registry.awaySessions(of: webView)
        guard let last = left.filter(\.page.frame.isMainFrame).map(\.sessionsWhenLeft).max() else { return }
        leave(left.filter { $0.page.frame.isMainFrame || $0.number <= last })
    }

    /// Ends sessions, the latest ones at once. If there are many, the others end later, because other clients wait
    /// meanwhile.
    private func leave(_ sessions: [PageSession]) {
        for session in sessions.suffix(Documents.sessionsAtOnce) { session.leave() }
        let others = sessions.dropLast(Documents.sessionsAtOnce)
        guard !others.isEmpty else { return }
        deadlines.schedule(after: .milliseconds(10)) { [weak self] in
            self?.leave(others.filter(\.isAway))
            self?.traffic.flush()
        }
    }

    /// How many sessions end, or wait no longer, in one turn.
    private static let sessionsAtOnce = 128
    /// How many bytes all sessions may hold back.
    private static let mostHeldBack = 16 << 20
    /// How many documents may be known by their calls alone.
    private static let mostUnconnected = 256

    /// Holds back the messages of a new document until all messages of the previous document in its tab have arrived,
    /// for `Limits.beaconTimeout` at most. The registry may not know the previous document yet, if it left before it
    /// attached.
    func waitForPredecessor(_ session: PageSession, _ attach: AttachPage) {
        guard let previous = attach.previous, !isStopping, session.predecessorWait == nil,
            !registry.hasAll(of: previous)
        else { return }
        session.wait(for: previous)
        deadlines.schedule(after: limits.beaconTimeout) { [weak self] in
            // The document may have a new session by now, which has taken over what waits.
            (self?.registry.latestSession(of: session.document) ?? session).endPredecessorWait()
            self?.releaseSuccessors(of: [session.document])
            self?.traffic.flush()
        }
    }

    /// Counts a message that a session holds back. If all sessions together hold back too much now, this one waits no
    /// longer: other clients wait while what it holds back is handled.
    func countHeldBack(_ message: PostMessage, by session: PageSession) {
        // A message without a body takes memory, too.
        let bytes = message.body.json.memory + 256
        session.predecessorWait?.bytes += bytes
        heldBackBytes += bytes
        guard heldBackBytes > min(limits.memoryBytes, Documents.mostHeldBack) else { return }
        traffic.problem(
            "heldBackTooMuch",
            "\(session.page.id) does not wait for the last messages of the document before it: pages hold back too much.",
            hint: "Post smaller messages while a page loads, or fewer.", page: session.page)
        session.endPredecessorWait()
        releaseSuccessors(of: [session.document])
    }

    /// Handles the messages that were held back for documents whose last messages have now arrived. The released
    /// messages may be the ones for which another document waits. If there are many such documents, some wait a moment
    /// longer, because other clients wait meanwhile.
    func releaseSuccessors(of documents: Deque<String>) {
        var (documents, count) = (documents, 0)
        while let document = documents.popFirst() {
            for session in registry.releasedSessions(waitingFor: document) {
                guard count < Documents.sessionsAtOnce else {
                    documents.prepend(document)
                    return releaseLater(documents)
                }
                count += 1
                session.endPredecessorWait()
                documents.append(session.document)
            }
        }
    }

    private func releaseLater(_ documents: Deque<String>) {
        deadlines.schedule(after: .milliseconds(10)) { [weak self] in
            self?.releaseSuccessors(of: documents)
            self?.traffic.flush()
        }
    }

    /// Resumes the session of a document that is known. Any other document gets a new session; if it is a main
    /// frame, it replaces the document that its web view showed before.
    func resumeOrMakeSession(_ attach: AttachPage, _ channel: Channel) -> (PageSession, resumed: Bool) {
        let webView = origins.app.webView(of: PageIdentity(attach, channel.sender))
        if let known = registry.session(of: attach.document), known.page.webView == webView {
            if let old = known.channel, old !== channel { close(old, "the document attached again") }
            if known.resume() { return (known, true) }
        }
        return (makeSession(attach, channel.sender), false)
    }
    /// Makes the pages whose web view is another one now attach again.
    private func moveToOtherWebViews() {
        for session in registry.sessions where session.page.webView != origins.app.webView(of: session.identity) {
            session.leave()
            if let channel = session.channel { close(channel, "the page's web view has another name now") }
        }
    }

    /// Whether the client may speak for a document: nobody has done so before, or a page of the same origin.
    func maySpeak(_ sender: PageSender, for document: String) -> Bool {
        registry.latestSession(of: document).map { $0.identity.origin == sender.origin } ?? true
    }

    /// Returns an error if a page says that it is driven, because only a tool may do so.
    func objection(to attach: AttachPage, from sender: PageSender) -> RPCError? {
        guard attach.engine != nil, !sender.isDriver else { return nil }
        return .invalidParams(
            at: "/engine",
            "expected nothing: only a tool drives a browser, with the daemon's token and without an Origin")
    }

    // MARK: Presence

    func setAway(_ isAway: Bool, _ session: PageSession) { registry.setAway(isAway, session) }

    func depart(_ session: PageSession) { registry.depart(session) }

    func setHolding(_ isHolding: Bool, _ session: PageSession, for previous: AttachPage.Previous) {
        registry.setHolding(isHolding, session, for: previous)
    }

    /// Counts messages that are held back no longer.
    func releaseHeldBack(_ bytes: Int) { heldBackBytes -= bytes }

    /// Adds the session of a document that has called, and may never connect.
    func addUnconnected(_ session: PageSession) {
        registry.addUnconnected(session)
        if registry.unconnectedCount > Documents.mostUnconnected { registry.oldestUnconnected?.leave() }
    }

    // MARK: Acknowledgements

    /// How often an acknowledgement is repeated. A page that receives nothing for 30 seconds connects again.
    private static let repetitionInterval = Duration.seconds(10)

    /// Writes the records of messages, and acknowledges them: at once if their records are kept, otherwise later.
    func flushAndAcknowledge(_ sessions: some Sequence<PageSession>) {
        let record = traffic.lastRecord
        let isKept = gate.keepAll()
        for session in sessions {
            if isKept {
                session.acknowledge(through: session.state.lastSeq)
            } else if let seq = session.state.awaitKeeping() {
                gate.whenKept(record) { session.acknowledge(through: seq) }
                repeatAcknowledgement(to: session)
            }
        }
    }

    /// Repeats the latest acknowledgement while further ones wait, so that the page knows that its connection works.
    private func repeatAcknowledgement(to session: PageSession) {
        guard !session.repeatsAcknowledgement else { return }
        session.repeatsAcknowledgement = true
        deadlines.schedule(after: Documents.repetitionInterval) { [weak self, weak session] in
            guard let self, let session else { return }
            session.repeatsAcknowledgement = false
            guard session.state.isAwaitingLog else { return }
            session.channel?.send { [seq = session.state.keptSeq] in $0.pageAck(seq: seq) }
            repeatAcknowledgement(to: session)
        }
    }

    // MARK: Faults

    /// - Returns: the fault's id.
    /// - Throws: `invalidRequest` if there are too many, if it is wrong, or if none of the pages that are shown can have it.
    func add(_ fault: Fault, webView: String?) throws(RPCError) -> String {
        if let mistake = fault.mistake { throw .invalidRequest(mistake.description) }
        guard !webViews.faults.isFull else {
            throw .invalidRequest("there are \(ToolRules<Fault>.limit) faults already. Remove some with faults.remove.")
        }
        let shown = pages.filter {
            $0.frame.isMainFrame && $0.isAttached && ToolRules<Fault>.applies(webView, to: $0.webView)
        }
        let objections = shown.compactMap { fault.objection(of: $0) }
        if objections.count == shown.count, let objection = objections.first { throw .invalidRequest(objection) }
        return webViews.add(fault, webView: webView)
    }

    /// Records that a page that has attached cannot have faults that were added before.
    func reportIgnoredFaults(of page: Page) {
        guard page.frame.isMainFrame else { return }
        let objections = webViews.faults.applying(to: page.webView).compactMap { entry in
            entry.rule.objection(of: page).map { (entry.id, $0) }
        }
        guard let (id, objection) = objections.first else { return }
        traffic.problem(
            "faultIgnored", "The fault \(id) does nothing here: \(objection)",
            hint: "Remove it with bridged unfault \(id), or faults.remove.", page: page)
    }
}

extension Fault {
    /// Explains why a page cannot have the fault; nil if it can.
    @MainActor fileprivate func objection(of page: Page) -> String? {
        switch page.engine {
        case nil:
            "\(page.id) is attached by its script tag, which cannot change requests. Show it in a browser that bridged drives: bridged open, or --in for flows."
        case .webkit where kind.name != .offline && kind.name != .slow:
            "\(page.id) is shown in WebKit, which can only make documents offline or slow. Show it in chromium or firefox."
        default: nil
        }
    }
}
