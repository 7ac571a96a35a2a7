package import BridgeProtocol
package import BridgeTraffic

/// Routes the messages of pages to their sessions, and owns what all sessions share: the registry of pages, the
/// handlers and the stubs. On the main actor.
@MainActor package final class Hub {
    let limits: BridgeServer.Configuration.Limits
    /// The member of a message body that holds the message's name.
    let discriminator: String
    package let traffic: TrafficLog
    let memory: ClientMemory
    let deadlines: Deadlines
    /// Tells pages in which run of the daemon they attached: the time at which it began, in microseconds.
    package let run: Int
    var registry = PageRegistry()
    package let webViews = WebViews()
    let passwords = Passwords()
    /// Called when a page attaches, comes back, changes, loses its connection or is gone.
    var pageObservers: [@MainActor (TrafficRecord.PageEvent, Page) -> Void] = []
    /// Which pages are the app's own.
    var appOrigins: AppOrigins
    /// Called with an origin that becomes one of the app's.
    var originObservers: [@MainActor (String) -> Void] = []
    /// The origin of the pages that the daemon serves.
    var ownOrigin: Origin?
    /// The other origins whose pages have attached, and have been reported.
    var otherOrigins: Set<String> = []
    /// The URL of `bridge.js`, with the page token if pages need one.
    var scriptURL = "bridge.js"
    /// How many requests for `bridge.js` there were.
    var scriptRequests = 0
    /// The page to which a starting browser is led.
    var launching: ExpectedPage?
    let names: LocalNames
    let waitingRequests: WaitingRequests
    /// The memory of all messages that are held back for previous documents, in bytes.
    var heldBackBytes = 0
    private var connections: [ConnectionID: PageConnection] = [:]
    /// The connections that sent something in this round of the loop.
    private var unacknowledged: [PageConnection] = []
    /// What must not go out to pages yet.
    package let gate: Gate
    var evaluationCount = 0
    private var toolSeq = 0
    /// What the ids of pages begin with: the name of the daemon's node and a dot, in a cluster.
    var pagePrefix = ""
    private(set) var isStopping = false

    package convenience init(limits: BridgeServer.Configuration.Limits, discriminator: String, traffic: TrafficLog) {
        var configuration = BridgeServer.Configuration()
        configuration.limits = limits
        configuration.discriminator = discriminator
        self.init(configuration, AppOrigins(), traffic)
    }

    init(_ configuration: BridgeServer.Configuration, _ appOrigins: AppOrigins, _ traffic: TrafficLog) {
        limits = configuration.limits
        memory = ClientMemory(limit: limits.memoryBytes)
        discriminator = configuration.discriminator
        self.appOrigins = appOrigins
        self.traffic = traffic
        deadlines = Deadlines(clock: traffic.clock)
        gate = Gate(traffic, deadlines)
        waitingRequests = WaitingRequests(memory: memory.requests)
        names = LocalNames(deadlines: deadlines, resolver: configuration.resolver)
        run = Int(traffic.clock.timestamp.microseconds)
        webViews.forEachConnectedPage = { [weak self] body in
            for session in self?.registry.sessions ?? [] { session.channel.map { body(session.page, $0) } }
        }
    }

    /// The pages that are attached or away, oldest first.
    package var pages: [Page] { registry.sessions.map(\.page) }

    var connectionCount: Int { connections.count }

    /// The number for a message that a tool posts as a page: -1, -2, and so on. It is never the number of one of the
    /// page's own messages.
    func nextToolSeq() -> Int {
        toolSeq -= 1
        return toolSeq
    }

    /// The id of the next evaluation. Ids increase over all pages, because a document that gets a new session
    /// remembers the ids that it has answered.
    func nextEvaluationID() -> Int {
        evaluationCount += 1
        return evaluationCount
    }

    /// - Parameter recorded: the event in the record, if it says more than the one that observers get.
    func report(_ event: TrafficRecord.PageEvent, _ page: Page, recorded: TrafficRecord.PageEvent? = nil) {
        traffic.append(.page(recorded ?? event), .toNative, page)
        for observer in pageObservers { observer(event, page) }
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
        for session in registry.sessions { session.endReplies(.daemonStopped) }
    }

    // MARK: Events of the transport

    package func opened(_ channel: Channel) {
        let connection = PageConnection(channel: channel)
        connection.attachDeadline = deadlines.schedule(after: limits.attachTimeout) { [self] in
            traffic.problem(
                "attachMissing", "A connection was open for \(limits.attachTimeout.seconds) s and never attached.",
                hint: "A page's first message is a page.attach request; bridge.js sends it by itself.")
            connections[channel.id]?.isClosing = true
            channel.close(.policyViolation, "page.attach expected")
        }
        connections[channel.id] = connection
    }

    package func received(_ result: Result<PageFrame, JSONParseError>, on channel: Channel) {
        guard let connection = connections[channel.id], !connection.isClosing else { return }
        // The page keeps its messages, and sends them when it attaches again.
        guard !traffic.isFull else {
            connection.isClosing = true
            return channel.close(.tryAgainLater, "the log cannot be written")
        }
        switch result {
        case .success(let frame) where frame.count > limits.batchMessages:
            refuse(.batchTooLong(frame.count, limit: limits.batchMessages), id: nil, connection)
        case .success(let frame):
            frame.read(while: { message in
                receive(message, from: connection)
                return !connection.isClosing
            })
        case .failure(let error): refuse(.parseError(error), id: nil, connection)
        }
        unacknowledged.append(connection)
    }

    /// Writes the records of all messages that a round of the loop brought, and acknowledges the messages.
    package func roundEnded() {
        guard !unacknowledged.isEmpty else { return }
        flushAndAcknowledge(unacknowledged.lazy.compactMap(\.session))
        unacknowledged.removeAll(keepingCapacity: true)
    }

    package func closed(_ channel: Channel, _ closure: Closure) {
        guard let connection = connections.removeValue(forKey: channel.id) else { return }
        deadlines.cancel(connection.attachDeadline)
        if let session = connection.session, session.channel === channel { session.disconnect(closure) }
        traffic.flush()
    }

    // MARK: Messages

    private func receive(_ message: PageMessage, from connection: PageConnection) {
        guard let session = connection.session else { return receiveBeforeAttach(message, from: connection) }
        switch message {
        case .post(let message, let id): session.receive(message, id: id)
        case .result(let id, let result): session.receive(result, id: id)
        case .update(let update, _): session.update(update)
        case .console(let entry, _): traffic.append(.console(entry), .toNative, session.page)
        case .attach(_, let id): refuse(.attachedAlready(session.page), id: id, connection)
        case .driver(let message, let id) where session.page.isDriven: session.receive(message, id: id)
        case .driver(let message, let id): refuse(.methodNotFound(message.method), id: id, connection)
        case .call(let call, let id) where session.page.isDriven:
            session.receive(call, id: id) { [channel = connection.channel] answer, _ in channel.send { $0.raw(answer) }
            }
        case .call(_, let id): refuse(.methodNotFound("interface.call"), id: id, connection)
        case .malformed(let message) where message.method == "page.attach":
            refuse(.attachedAlready(session.page), id: message.id, connection)
        case .malformed(let message):
            session.recordMalformed(message)
            refuse(message.error, id: message.id, connection)
        }
    }

    private func receiveBeforeAttach(_ message: PageMessage, from connection: PageConnection) {
        switch message {
        case .attach(let attach, let id): self.attach(attach, id: id, connection)
        case .result: break
        case .post(_, let id): refuse(.early("message.post"), id: id, connection)
        case .update(_, let id): refuse(.early("page.update"), id: id, connection)
        case .console(_, let id): refuse(.early("console.entry"), id: id, connection)
        case .driver(let message, let id): refuse(.methodNotFound(message.method), id: id, connection)
        case .call(_, let id): refuse(.methodNotFound("interface.call"), id: id, connection)
        case .malformed(let message):
            let method = message.method ?? ""
            let isEarly = ["message.post", "page.update", "console.entry"].contains(method)
            refuse(isEarly ? .early(method) : message.error, id: message.id, connection)
        }
    }

    private func attach(_ attach: AttachPage, id: RequestID, _ connection: PageConnection) {
        let sender = connection.channel.sender
        guard !connection.isAttaching, maySpeak(sender, for: attach.document) else {
            return refuse(connection.isAttaching ? .early("page.attach") : .otherAuthor, id: id, connection)
        }
        if let error = objection(to: attach, from: sender) { return refuse(error, id: id, connection) }
        connection.isAttaching = true
        names.check(sender.uncertainNames) { [self] objection in
            guard connections[connection.channel.id] === connection, !connection.isClosing else { return }
            guard let objection else { return own(attach, id: id, connection) }
            connection.isAttaching = false
            let refusal = Refusal.nameNotLocal(objection)
            traffic.report(refusal)
            connection.channel.send { $0.error(id: id, .invalidRequest("\(refusal.text) \(refusal.hint)")) }
        }
    }

    private func own(_ attach: AttachPage, id: RequestID, _ connection: PageConnection) {
        // The page has done its part. A keeper may take long to answer.
        deadlines.cancel(connection.attachDeadline)
        decideOrigin(by: attach, connection.channel.sender)
        let (resume, limit) = (attach.resume, limits.attachTimeout)
        own(attach.document, resumes: resume, within: limit, attach, connection.channel.sender) { [self] result in
            guard connections[connection.channel.id] === connection, !connection.isClosing else { return }
            connection.isAttaching = false
            switch result {
            case .success(let session): admit(attach, id: id, connection, anew: session)
            case .failure(let error) where error.code == .waitTimedOut:
                // The page attaches again, perhaps to another daemon. The keeper has said what is wrong.
                connection.isClosing = true
                connection.channel.close(.tryAgainLater, "the cluster's Redis does not say where this page is")
            case .failure(let error): refuse(error, id: id, connection)
            }
        }
    }

    /// - Parameter session: one that was made for the document and resumes nothing; nil if it is still to be found.
    private func admit(_ attach: AttachPage, id: RequestID, _ connection: PageConnection, anew session: PageSession?) {
        let isUnknown = session == nil && isUnknown(attach)
        let (session, resumed) = session.map { ($0, false) } ?? resumeOrMakeSession(attach, connection.channel)
        waitForPredecessor(session, attach)
        connection.session = session
        deadlines.cancel(connection.attachDeadline)
        session.connect(to: connection.channel, attach, id: id, resumed: resumed, isUnknown: isUnknown)
        if !resumed {
            reportOtherOrigin(of: session)
            reportIgnoredFaults(of: session.page)
        }
    }

    /// Closes the connection of a page, which will attach again.
    func close(_ channel: Channel, _ reason: String) {
        connections[channel.id]?.session = nil
        connections[channel.id]?.isClosing = true
        channel.close(.normal, reason)
    }

    /// Resumes the session of a document that the hub knows. Any other document gets a new session; if it is a main
    /// frame, it replaces the document that its web view showed before.
    private func resumeOrMakeSession(_ attach: AttachPage, _ channel: Channel) -> (PageSession, resumed: Bool) {
        let webView = appOrigins.webView(of: PageIdentity(attach, channel.sender))
        if let known = registry.session(of: attach.document), known.page.webView == webView {
            if let old = known.channel, old !== channel { close(old, "the document attached again") }
            if known.resume() { return (known, true) }
        }
        return (makeSession(attach, channel.sender), false)
    }
}
