package import BridgeProtocol
import BridgeTraffic
import DequeModule

/// The connections of pages: passes what arrives to the page that has attached, and refuses wrong messages. On the main
/// actor.
@MainActor package final class PageChannel {
    /// How many records of one page may wait to be written. Beyond that, the daemon reads no more from the page until they
    /// are written, because the acknowledgements of all other pages wait for them.
    private static let mostWaitingRecords = 128
    /// How many messages of one page are handled before the other pages have their turn.
    private static let longestTurn = 64
    /// The same in a round of the loop that has taken long.
    private static let shortTurn = 8
    /// The greatest total size, in bytes, of the frames with messages that wait for their turn.
    private static let mostWaitingBytes = 4 << 20
    /// How long the daemon reads nothing from a page at most, if its records cannot be written.
    private static let longestPause = Duration.milliseconds(250)

    private let documents: Documents
    private let names: LocalNames
    private let limits: BridgeServer.Configuration.Limits
    private let traffic: TrafficLog
    private let deadlines: Deadlines
    // Unchecked for overlapping accesses: to look up a connection and to add one calls nothing else.
    @exclusivity(unchecked) private var connections: [ConnectionID: PageConnection] = [:]
    /// The connections that sent something in this round of the loop.
    @exclusivity(unchecked) private var unacknowledged: [PageConnection] = []
    /// The total size, in bytes, of the frames with messages that wait for their turn.
    private var waitingBytes = 0
    /// The connections whose messages wait for their turn, the next one first.
    private var queue: Deque<PageConnection> = []
    private var hasScheduledTurns = false
    /// When the first message of this round was handled; nil if none was.
    private var roundBegan: ContinuousClock.Instant?
    /// After this time a round gives each page only a short turn, and none to further pages that wait.
    var longestRound = Duration.milliseconds(4)
    /// Whether the daemon stops. Then nothing waits.
    private var isStopping = false

    init(_ documents: Documents, _ names: LocalNames) {
        (self.documents, self.names) = (documents, names)
        (limits, traffic, deadlines) = (documents.limits, documents.traffic, documents.deadlines)
        documents.close = { [weak self] in self?.close($0, $1) }
    }

    var connectionCount: Int { connections.count }

    // MARK: Events of the transport

    package func opened(_ channel: Channel) {
        let connection = PageConnection(channel: channel)
        connections[channel.id] = connection
        expectAttach(connection)
    }

    private func expectAttach(_ connection: PageConnection) {
        let channel = connection.channel
        connection.attachDeadline = deadlines.schedule(after: limits.attachTimeout) { [self] in
            traffic.problem(
                .attachMissing, "A connection was open for \(limits.attachTimeout.seconds) s and never attached.",
                hint: "A page's first message is a page.attach request; bridge.js sends it by itself.")
            connections[channel.id]?.isClosing = true
            channel.close(.policyViolation, "page.attach expected")
        }
    }

    package func received(_ result: Result<PageFrame, JSONParseError>, on channel: Channel) {
        guard let connection = connections[channel.id], !connection.isClosing else { return }
        let turn = turnLength - connection.handledInTurn
        guard connection.waiting.isEmpty, !connection.isPaused, turn > 0 else {
            return wait(WaitingFrame(result), connection)
        }
        handle(WaitingFrame(result), from: connection, turn)
    }

    /// How many messages of one page are handled before the others have their turn.
    private var turnLength: Int {
        guard connections.count > 1, !isStopping else { return .max }
        return isRoundLong() ? PageChannel.shortTurn : PageChannel.longestTurn
    }

    private func isRoundLong() -> Bool {
        let now = deadlines.now
        guard let roundBegan else {
            roundBegan = now
            return false
        }
        return now - roundBegan > longestRound
    }

    /// Handles the messages of a frame, but not more than `turn`. The others wait.
    private func handle(_ frame: WaitingFrame, from connection: PageConnection, _ turn: Int) {
        if let queue = traffic.fullQueue ?? queue(filledBy: connection) { return sendAway(connection, queue) }
        let before = traffic.total
        switch frame.result {
        case .success(let content) where content.count > limits.batchMessages:
            refuse(.batchTooLong(content.count, limit: limits.batchMessages), id: nil, connection)
        case .success(let content): handle(content, after: frame.handled, from: connection, turn)
        case .failure(let error): refuse(.parseError(error), id: nil, connection)
        }
        connection.page?.caused(recordsSince: before, in: traffic)
        unacknowledged.append(connection)
    }

    /// - Parameter start: the index of the first message that has not been handled.
    private func handle(_ frame: PageFrame, after start: Int, from connection: PageConnection, _ turn: Int) {
        // What waits takes memory. A frame for which there is no room is handled as a whole.
        let mayWait = waitingBytes + frame.size <= PageChannel.mostWaitingBytes
        var left = mayWait ? min(turn, frame.count - start) : frame.count - start
        let end = start + left
        connection.handledInTurn += left
        frame.read(from: start) { message in
            receive(message, from: connection)
            left -= 1
            return left > 0 && !connection.isClosing
        }
        guard end < frame.count, !connection.isClosing else { return }
        wait(WaitingFrame(.success(frame), handled: end), connection, asFirst: true)
    }

    private func wait(_ frame: WaitingFrame, _ connection: PageConnection, asFirst: Bool = false) {
        connection.waiting.insert(frame, at: asFirst ? 0 : connection.waiting.count)
        waitingBytes += frame.size
    }

    /// Handles messages that wait, until the page's turn is over. A page whose connection the daemon closes sends them again.
    /// - Parameter all: whether the turn has no end.
    private func takeTurn(_ connection: PageConnection, all: Bool = false) {
        while !connection.isClosing, !connection.waiting.isEmpty {
            let turn = all ? .max : turnLength - connection.handledInTurn
            guard turn > 0 else { break }
            let frame = connection.waiting.removeFirst()
            waitingBytes -= frame.size
            handle(frame, from: connection, turn)
        }
        if connection.isClosing { discardWaiting(connection) }
        guard connection.waiting.isEmpty else { return }
        connection.isRead = true
        // The next document of the tab may have attached meanwhile, and wait for these messages.
        if let page = connection.page { documents.predecessors.releaseSuccessors(of: [page.document]) }
    }

    private func discardWaiting(_ connection: PageConnection) {
        for frame in connection.waiting { waitingBytes -= frame.size }
        connection.waiting = []
    }

    private func queue(filledBy connection: PageConnection) -> FullQueue? {
        guard connections.count > 1, let page = connection.page else { return nil }
        return traffic.queue(filledBy: page.recordShare)
    }

    /// Closes the connection of a page whose messages cannot be kept. It sends those that were not acknowledged when it
    /// attaches again.
    private func sendAway(_ connection: PageConnection, _ queue: FullQueue) {
        connection.isClosing = true
        connection.channel.close(.tryAgainLater, queue.reason)
        queue.report(in: traffic, page: connection.page)
    }

    /// Writes the records of all messages that a round of the loop brought, and acknowledges the messages.
    package func roundEnded() {
        roundBegan = nil
        guard !unacknowledged.isEmpty else { return }
        let isKept = documents.flushAndAcknowledge(unacknowledged.lazy.compactMap(\.page))
        for connection in unacknowledged {
            connection.handledInTurn = 0
            guard !connection.isPaused, !connection.isClosing, !isStopping else { continue }
            if !isKept, isAhead(connection) {
                pause(connection, untilKept: traffic.lastRecord)
            } else if !connection.waiting.isEmpty {
                pause(connection)
                enqueue(connection)
            }
        }
        unacknowledged.removeAll(keepingCapacity: true)
    }

    /// Whether many records of a page wait to be written, and there are other pages.
    private func isAhead(_ connection: PageConnection) -> Bool {
        guard connections.count > 1, let page = connection.page else { return false }
        return traffic.waitingRecords(of: page.recordShare) > PageChannel.mostWaitingRecords
    }

    private func pause(_ connection: PageConnection) {
        connection.isPaused = true
        connection.isRead = false
    }

    /// Reads nothing from a page until the records up to `record` are kept, but not for long.
    private func pause(_ connection: PageConnection, untilKept record: Int) {
        pause(connection)
        let endPause = Once<Void> { [weak self] _ in self?.enqueue(connection) }
        documents.gate.whenKept(record) { endPause(()) }
        deadlines.schedule(after: PageChannel.longestPause) { endPause(()) }
    }

    /// Lets a page have its turn after those that wait already.
    private func enqueue(_ connection: PageConnection) {
        guard connection.isPaused else { return }
        queue.append(connection)
        scheduleTurns()
    }

    private func scheduleTurns() {
        guard !hasScheduledTurns, !queue.isEmpty else { return }
        hasScheduledTurns = true
        // Not at once: what else has arrived is handled between two turns.
        deadlines.schedule(after: .zero) { [weak self] in self?.takeTurns() }
    }

    /// Lets each page that waits have a turn, or as many of them as a round has time for.
    private func takeTurns() {
        hasScheduledTurns = false
        roundBegan = deadlines.now
        var left = queue.count
        repeat {
            guard let connection = queue.popFirst() else { break }
            connection.isPaused = false
            takeTurn(connection)
            left -= 1
        } while left > 0 && !isRoundLong()
        // The transport says that a round has ended only if it has brought something.
        roundEnded()
        scheduleTurns()
    }

    /// Handles all messages that wait for their turn, because the daemon stops. From now on, all are handled at once.
    package func beginStopping() {
        isStopping = true
        for connection in connections.values.sorted(by: { $0.channel.id < $1.channel.id }) {
            connection.isPaused = false
            takeTurn(connection, all: true)
        }
        roundEnded()
    }

    /// Lets pages take turns again, because the daemon may start again.
    package func beginAgain() { isStopping = false }

    package func closed(_ channel: Channel, _ closure: Closure) {
        guard let connection = connections.removeValue(forKey: channel.id) else { return }
        deadlines.cancel(connection.attachDeadline)
        // The page sends only some of these messages again, or none, so they are handled now.
        takeTurn(connection, all: true)
        if let page = connection.page, page.channel === channel { documents.disconnect(page, closure) }
        traffic.flush()
    }

    // MARK: Messages

    private func receive(_ message: PageMessage, from connection: PageConnection) {
        guard let page = connection.page else { return receiveBeforeAttach(message, from: connection) }
        switch message {
        case .post(_, let id) where page.isObserved:
            refuse(.methodNotFound(PageMethod.post.rawValue), id: id, connection)
        case .post(let message, let id): documents.receive(message, id: id, from: page)
        case .observed(let entries, _) where page.isObserved: documents.receive(entries, from: page)
        case .observed(_, let id): refuse(.methodNotFound(PageMethod.observed.rawValue), id: id, connection)
        case .result(let id, let result): documents.evaluations.receive(result, id: id, from: page)
        case .update(let update, _): documents.update(page, update)
        case .console(let entry, _): documents.delivery.record(entry, of: page)
        case .attach(_, let id): refuse(.attachedAlready(page), id: id, connection)
        case .driver(let message, let id) where page.isDriven: documents.drivers.receive(message, id: id, from: page)
        case .driver(let message, let id): refuse(.methodNotFound(message.method), id: id, connection)
        case .call(let call, let id) where page.isDriven:
            documents.receive(call, id: id, from: page) { [channel = connection.channel] answer, _ in
                channel.send { $0.raw(answer) }
            }
        case .call(_, let id): refuse(.methodNotFound(PageMethod.call.rawValue), id: id, connection)
        case .malformed(let message) where message.method == PageMethod.attach.rawValue:
            refuse(.attachedAlready(page), id: message.id, connection)
        case .malformed(let message):
            documents.delivery.recordMalformed(message, from: page, after: page.state.lastSeq)
            refuse(message.error, id: message.id, connection)
        }
    }

    private func receiveBeforeAttach(_ message: PageMessage, from connection: PageConnection) {
        switch message {
        case .attach(let attach, let id): self.attach(attach, id: id, connection)
        case .result: break
        case .post(_, let id): refuse(.early(.post), id: id, connection)
        case .update(_, let id): refuse(.early(.update), id: id, connection)
        case .console(_, let id): refuse(.early(.console), id: id, connection)
        case .observed(_, let id): refuse(.early(.observed), id: id, connection)
        case .driver(let message, let id): refuse(.methodNotFound(message.method), id: id, connection)
        case .call(_, let id): refuse(.methodNotFound(PageMethod.call.rawValue), id: id, connection)
        case .malformed(let message):
            let early = [PageMethod.post, .update, .console, .observed].first { $0.rawValue == message.method }
            refuse(early.map { .early($0) } ?? message.error, id: message.id, connection)
        }
    }

    private func attach(_ attach: AttachPage, id: RequestID, _ connection: PageConnection) {
        let sender = connection.channel.sender
        guard !connection.isAttaching, documents.maySpeak(sender, for: attach.document) else {
            return refuse(connection.isAttaching ? .early(.attach) : .otherAuthor, id: id, connection)
        }
        if let error = documents.objection(to: attach, from: sender) { return refuse(error, id: id, connection) }
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
        // The page has attached in time. The cluster may take longer to answer.
        deadlines.cancel(connection.attachDeadline)
        documents.origins.decide(by: attach, connection.channel.sender)
        let (resume, limit) = (attach.resume, limits.attachTimeout)
        documents.own(attach.document, resumes: resume, within: limit, attach, connection.channel.sender) {
            [self] result in
            guard connections[connection.channel.id] === connection, !connection.isClosing else { return }
            connection.isAttaching = false
            switch result {
            // Another page may have attached with this document's id meanwhile.
            case .success where !documents.maySpeak(connection.channel.sender, for: attach.document):
                refuse(.otherAuthor, id: id, connection)
                expectAttach(connection)
            case .success(let page): admit(attach, id: id, connection, anew: page)
            case .failure(let error) where error.code == .waitTimedOut:
                // The page attaches again, perhaps to another daemon. The cluster has recorded the problem.
                connection.isClosing = true
                connection.channel.close(.tryAgainLater, "the cluster's Redis does not say where this page is")
            case .failure(let error):
                refuse(error, id: id, connection)
                expectAttach(connection)
            }
        }
    }

    /// - Parameter page: the new page that `Documents.own` has made for the document; nil if it has made none.
    private func admit(_ attach: AttachPage, id: RequestID, _ connection: PageConnection, anew page: Page?) {
        // The messages that wait on the document's earlier connection, which ends now, come first.
        let earlier = page == nil ? documents.registry.page(of: attach.document)?.channel : nil
        if let earlier = earlier.flatMap({ connections[$0.id] }) { takeTurn(earlier, all: true) }
        let isUnknown = page == nil && documents.isUnknown(attach)
        let (page, resumed) = page.map { ($0, false) } ?? documents.resumeOrMakePage(attach, connection.channel)
        documents.predecessors.wait(page, attach)
        connection.page = page
        documents.connect(page, to: connection.channel, attach, id: id, resumed: resumed, isUnknown: isUnknown)
        if !resumed {
            documents.origins.report(page, page.identity)
            documents.reportIgnoredFaults(of: page)
        }
    }

    /// Closes the connection of a page, which will attach again.
    private func close(_ channel: Channel, _ reason: String) {
        connections[channel.id]?.page = nil
        connections[channel.id]?.isClosing = true
        channel.close(.normal, reason)
    }

    // MARK: Wrong messages

    /// Answers a message of a page with an error, and records a `problem`. After too many wrong messages, the connection
    /// is closed.
    ///
    /// JSON-RPC has no response to a notification. The daemon nevertheless sends an error, with a null id, so that a
    /// mistake does not go unnoticed.
    private func refuse(_ error: RPCError, id: RequestID?, _ connection: PageConnection) {
        connection.channel.send { $0.error(id: id ?? .null, error) }
        let page = connection.page
        traffic.problem(
            error.code.problemCode, error.message, hint: "Something other than bridge.js may have sent it.", page: page)
        connection.errors += 1
        guard connection.errors >= limits.errors else { return }
        connection.isClosing = true
        traffic.problem(
            .tooManyErrors, "A connection sent \(limits.errors) wrong messages, and is closed.",
            hint: "Something other than bridge.js sent them; see the problems before this one.", page: page)
        connection.channel.close(.policyViolation, "too many errors")
    }
}

extension RPCError.Code {
    fileprivate var problemCode: ProblemCode {
        switch self {
        case .parseError: .parseError
        case .invalidRequest: .invalidRequest
        case .methodNotFound: .methodNotFound
        case .invalidParams: .invalidParams
        default: ProblemCode("error\(rawValue)")
        }
    }
}

extension RPCError {
    static let otherAuthor = RPCError.invalidRequest("a page of another origin has this document's id")

    fileprivate static func early(_ method: PageMethod) -> RPCError {
        RPCError(.invalidRequest, "\(method.rawValue) came before the answer to page.attach, which must be first.")
    }

    @MainActor fileprivate static func attachedAlready(_ page: Page) -> RPCError {
        RPCError(.invalidRequest, "This connection is attached already, as \(page.id).")
    }
}

/// A WebSocket connection, and the page that it belongs to once one has attached on it.
@MainActor private final class PageConnection {
    let channel: Channel
    var page: Page?
    /// The number of wrong messages; see `Limits.errors`.
    var errors = 0
    /// Whether the daemon has closed the connection. What still arrives on it is ignored.
    var isClosing = false
    /// Whether the daemon handles nothing of it for a moment.
    var isPaused = false
    /// Whether the daemon reads from it.
    var isRead = true { didSet { if isRead != oldValue { channel.setReading(isRead) } } }
    /// What has arrived and waits for the page's next turn, in order.
    var waiting: Deque<WaitingFrame> = []
    /// How many messages were handled since the last round ended. (A message of a page in an app of its own has up to 1,000
    /// entries.)
    var handledInTurn = 0
    /// Closes the connection if no page attaches in time.
    var attachDeadline: Deadlines.Token?
    /// Whether a page is attaching: the resolver or the cluster has not answered yet.
    var isAttaching = false

    init(channel: Channel) { self.channel = channel }
}

/// A frame of which some messages are not handled yet.
private struct WaitingFrame {
    let result: Result<PageFrame, JSONParseError>
    /// How many of its messages are handled.
    let handled: Int

    init(_ result: Result<PageFrame, JSONParseError>, handled: Int = 0) {
        (self.result, self.handled) = (result, handled)
    }

    /// The bytes of the frame.
    var size: Int { (try? result.get().size) ?? 0 }
}
