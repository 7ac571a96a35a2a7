import BridgeProtocol
import BridgeTraffic

/// The daemon's state of one document: its connection, its unanswered messages and evaluations, and what to send again
/// after the connection broke.
///
/// `Page` is the public API of a session. `Documents` makes a session when it first receives the params of `page.attach`,
/// and keeps it in its `PageRegistry`. On the main actor.
@MainActor final class PageSession {
    let page: Page
    let document: String
    let identity: PageIdentity
    /// The number of the session in this run of the daemon, from 1.
    let number: Int
    unowned let documents: Documents
    let traffic: TrafficLog

    var state: PageState
    /// The channel of the connection; nil while the document has none.
    private(set) var channel: Channel? { didSet { evaluations.channel = channel } }
    /// The number of sessions that had been made when this one began to wait for a connection. A session with a higher
    /// number attached after that.
    private(set) var sessionsWhenLeft = 0
    private var awayDeadline: Deadlines.Token?
    /// Whether a problem was recorded about texts of the document that were too long.
    private var hasCutTexts = false
    /// The page that takes this document's place, if native code has asked for it.
    private var nextPage: ExpectedPage?
    private var nextPageDeadline: Deadlines.Token?
    /// A navigation that waits for the first connection.
    private var navigation: PageNavigation?

    /// How many daemons of a durable cluster have owned the page, with this one.
    var epoch: Int
    /// The run of a daemon that the page knows: in a durable cluster perhaps that of another one.
    var run: Int
    /// Whether the keeper knows the page.
    var isNoted = false
    /// Whether another daemon has the page now.
    var hasMovedAway = false

    /// Whether the latest acknowledgement will be sent again, because messages wait for the log.
    var repeatsAcknowledgement = false

    let evaluations: Evaluations
    var replyCache = ReplyCache()
    /// Set while the session holds back messages until those of the previous document have arrived.
    var predecessorWait: PredecessorWait?

    /// Whether the document has no connection but may still attach.
    var isAway: Bool { channel == nil && state.presence != .gone }

    /// - Parameter before: the session that the document had before.
    init(number: Int, _ attach: AttachPage, _ identity: PageIdentity, before: PageSession?, in documents: Documents) {
        self.identity = identity
        page = Page(
            id: "\(documents.pagePrefix)p\(number)", attach, webView: documents.origins.app.webView(of: identity),
            origin: identity.origin,
            at: documents.traffic.clock.timestamp)
        document = attach.document
        self.number = number
        self.documents = documents
        traffic = documents.traffic
        state = PageState(lastSeq: before?.state.lastSeq ?? 0)
        epoch = before?.epoch ?? 1
        run = documents.run
        predecessorWait = before?.predecessorWait.take()
        evaluations = Evaluations(of: page, documents.evaluations)
        evaluations.note = { [weak self] in self?.note($0) }
        page.session = self
    }

    func report(_ event: TrafficRecord.PageEvent, recorded: TrafficRecord.PageEvent? = nil) {
        documents.report(event, page, recorded: recorded)
        reportCutTexts()
    }

    /// Records, once, that texts of the document were too long and have been cut.
    private func reportCutTexts() {
        guard !hasCutTexts else { return }
        let texts = [
            ("URL", page.url, PageText.url), ("title", page.title, PageText.title),
            ("user agent", page.userAgent, PageText.userAgent),
        ]
        guard let (name, _, limit) = texts.first(where: { $1.utf8.count > $2 }) else { return }
        hasCutTexts = true
        traffic.problem(
            "textCut", "The \(name) of \(page.id) has more than \(limit) bytes and was cut.",
            hint: "Records, tools and the app see only its beginning. Give the page a shorter one.", page: page)
    }

    // MARK: Connection

    /// Marks the document as attached. Returns false if it is gone and needs a new session.
    func resume() -> Bool { state.attach() }

    /// Answers `page.attach` on a new connection, and sends everything that the document has missed.
    /// - Parameter isUnknown: whether the document resumes a session that is not known.
    func connect(to channel: Channel, _ attach: AttachPage, id: RequestID, resumed: Bool, isUnknown: Bool) {
        documents.deadlines.cancel(awayDeadline)
        documents.deadlines.cancel(nextPageDeadline.take())
        documents.setAway(false, self)
        self.channel = channel
        let handlers = documents.webViews.handlerInfo(of: page.webView, isDriven: page.isDriven)
        let settings = page.isDriven ? documents.webViews.settings(of: page.webView) : nil
        let otherWebView = page.webView == attach.webView ? nil : page.webView
        if documents.gate.keepAll() { state.keep(state.lastSeq) }
        // The result acknowledges, too.
        _ = state.acknowledge()
        let limits = page.isDriven ? documents.limits.json : nil
        let (page, run, lastSeq, maxMessageBytes) = (page.id, run, state.keptSeq, documents.limits.messageBytes)
        channel.send { writer in
            writer.attachResult(
                id: id, page: page, run: run, otherWebView: otherWebView, resumed: resumed, lastSeq: lastSeq,
                handlers: handlers, settings: settings, maxMessageBytes: maxMessageBytes, limits: limits)
        }
        // Before the report, because an observer may evaluate something, which must be sent once.
        evaluations.sendAgain()
        report(resumed ? .resumed : .attached)
        if resumed { change(url: attach.frame.url, title: attach.title, readyState: attach.readyState) }
        if isUnknown { reportAttachedAnew() }
        documents.gate.whenAllIsConfirmed { [self] in
            sendRepliesAgain(to: attach.waiting ?? [], on: channel)
            evaluations.send()
        }
        if let navigation = navigation.take() { navigate(navigation) }
    }

    /// Records that the document resumes a session that is not known: one of an earlier run of the daemon, or
    /// one that the registry has forgotten.
    func reportAttachedAnew() {
        traffic.problem(
            "attachedAnew",
            "\(page.id) was attached to an earlier run of the daemon, or so long ago that the daemon has forgotten it. "
                + "It sends its unacknowledged messages again.",
            hint: "A message that the daemon had handled but not acknowledged is handled twice.",
            page: page)
    }

    /// Handles the end of the connection. A document that closed it with 1001 (going away) will not answer its
    /// evaluations; one whose connection broke may still do so.
    func disconnect(_ closure: Closure) {
        guard state.detach() else { return }
        channel = nil
        waitForConnection()
        report(.detached)
        nextPageDeadline = nextPage.map { documents.missingScripts.awaitScript(of: $0, in: page.webView) }
        guard closure.byPeer, closure.code == .goingAway else { return }
        // A driver says so only if the document will not come back; a page may be in the back/forward cache.
        if page.engine == nil { evaluations.failLater() } else { leave() }
    }

    /// Ends the session unless the document connects in time.
    func waitForConnection() {
        sessionsWhenLeft = documents.registry.count
        documents.setAway(true, self)
        awayDeadline = documents.deadlines.schedule(after: documents.limits.awayTimeout) { [weak self] in
            self?.leave()
            self?.traffic.flush()
        }
    }

    /// Ends the session, because the document will not come back or has been away for too long.
    func leave() {
        guard state.leave() else { return }
        documents.deadlines.cancel(awayDeadline)
        documents.depart(self)
        evaluations.failLater()
        documents.delivery.endReplies(to: page, .pageGone(page.id))
        // Nobody will ask for these replies again.
        documents.delivery.memory.release(replyCache.byteCount)
        replyCache = ReplyCache()
        note(.gone)
        report(.gone)
    }

    /// Sends one acknowledgement for all messages up to `seq`, whose records the log has.
    func acknowledge(through seq: Int) {
        state.keep(seq)
        guard let seq = state.acknowledge() else { return }
        channel?.send { $0.pageAck(seq: seq) }
    }

    // MARK: Document

    func update(_ update: UpdatePage) {
        page.visibility = update.visibility ?? page.visibility
        page.status = update.status ?? page.status
        set(url: update.url, title: update.title, readyState: update.readyState)
    }

    /// Takes what a document says of itself when it attaches again. It sends no update of that, and it may have changed
    /// since a call or an earlier connection introduced it.
    private func change(url: String, title: String, readyState: String) {
        guard (page.frame.url, page.title, page.readyState) != (url, title, readyState) else { return }
        set(url: url, title: title, readyState: readyState)
    }

    private func set(url: String?, title: String?, readyState: String?) {
        if let url {
            page.frame = FrameInfo(url: url, origin: page.frame.origin, isMainFrame: page.frame.isMainFrame)
        }
        page.title = title ?? page.title
        let isLoaded = readyState == "complete" && page.readyState != "complete"
        page.readyState = readyState ?? page.readyState
        report(.updated, recorded: isLoaded ? .loaded : nil)
    }

    func navigate(_ navigation: PageNavigation) {
        nextPage = documents.missingScripts.expectedPage(after: navigation, from: page)
        if let channel {
            channel.send { $0.pageNavigate(navigation) }
        } else if state.presence == .attached {
            self.navigation = navigation
        }
    }

    // MARK: Messages

    /// Handles a message, unless it was handled before. Holds it back while messages of the previous document are
    /// missing.
    func receive(_ message: PostMessage, id: RequestID?) {
        if predecessorWait != nil {
            hold(message, id)
        } else if state.accept(message.seq) {
            note(.handled(seq: message.seq))
            // The closure retains the documents, because the handler may keep its reply longer than anything else does.
            documents.delivery.deliver(message, from: page) {
                [self, documents, message = message.withoutBody] outcome in
                withExtendedLifetime(documents) { send(outcome, of: message, id: id) }
            }
        }
    }

    /// Calls a method of an interface object, shows a dialog, or asks about a load, after all messages that are held
    /// back. A browser may send the request twice if a connection breaks; the second time it gets the first response.
    func receive(
        _ call: CallInterface, id: RequestID, respond: @escaping @MainActor (_ answer: [UInt8], _ isKept: Bool) -> Void
    ) {
        guard predecessorWait == nil else {
            predecessorWait?.calls.append { $0.receive(call, id: id, respond: respond) }
            return documents.countHeldBack(call.message, by: self)
        }
        guard state.accept(call.message.seq) else {
            return respond(cachedReply(to: call.message.seq, id: id), documents.gate.keepAll())
        }
        note(.handled(seq: call.message.seq))
        let finish = { @MainActor [self, documents] (result: Result<ScriptValue, RPCError>) in
            var writer = JSONWriter()
            switch result {
            case .success(let value): writer.valueResult(id: id, value)
            case .failure(let error): writer.error(id: id, error)
            }
            let answer = writer.bytes
            keep(answer, to: call.message.seq)
            documents.gate.whenAllIsKept { respond(answer, $0) }
        }
        if !decideLoad(call, finish), !documents.delivery.showDialog(call, from: page, finish) {
            finish(documents.delivery.perform(call, from: page))
        }
    }

    /// Holds back messages until those of the previous document have arrived.
    func wait(for previous: AttachPage.Previous) {
        predecessorWait = PredecessorWait(previous: previous)
        documents.setHolding(true, self, for: previous)
    }

    /// Holds a message back. If it is one too many, the wait ends, because other clients wait while all are handled.
    private func hold(_ message: PostMessage, _ id: RequestID?) {
        predecessorWait?.messages.append((message, id))
        documents.countHeldBack(message, by: self)
        guard let wait = predecessorWait, wait.messages.count >= documents.limits.batchMessages else { return }
        traffic.problem(
            "heldBackTooMuch",
            "\(page.id) posted \(wait.messages.count) messages before those of the previous document in its tab had "
                + "arrived, so they are handled now.",
            hint: "The last messages of \(wait.previous.document.forText) may come after them.", page: page)
        endPredecessorWait()
    }

    /// Handles the messages that were held back.
    func endPredecessorWait() {
        guard let wait = predecessorWait.take() else { return }
        documents.setHolding(false, self, for: wait.previous)
        documents.releaseHeldBack(wait.bytes)
        for (message, id) in wait.messages { receive(message, id: id) }
        for call in wait.calls { call(self) }
        documents.flushAndAcknowledge([self])
    }
}

/// The messages that a session holds back until those of the previous document in its tab have arrived.
///
/// The previous document sent them by beacon, which may be slower than the new document's connection.
@MainActor struct PredecessorWait {
    let previous: AttachPage.Previous
    var messages: [(message: PostMessage, id: RequestID?)] = []
    /// Runs the calls of interface objects that were held back. They come after the messages.
    var calls: [@MainActor (PageSession) -> Void] = []
    /// The memory that they take, in bytes.
    var bytes = 0
}
