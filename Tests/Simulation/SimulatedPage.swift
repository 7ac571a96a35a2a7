import BridgeProtocol
import BridgeServer

/// A document with `bridge.js`: a model of what the script does on the wire (`web/bridge/page.js`, `outbox.js`,
/// `connection.js`).
@MainActor final class SimulatedPage {
    enum State {
        case shown
        /// In the back/forward cache.
        case kept
        case left
    }

    struct Message {
        let seq: Int
        /// The message's number in the world.
        let number: Int
        let handler: HandlerName
    }

    let number: Int
    let document: String
    let tab: Int
    /// The document before this one, and its last message.
    let previous: (document: String, seq: Int)?
    /// Whether the latest `page.attach` named that document.
    var hasNamedPrevious = false
    let invariants: Invariants
    let mistake: Mistake?

    var state = State.shown
    var isLiar = false
    var isKnown = false
    /// The run of the daemon to which the document attached last.
    var run: Int?
    var isAttached = false
    var connection: SimulatedConnection?
    /// Whether messages also go by beacon, because the page unloads.
    var isLeaving = false
    var seq = 0
    /// The messages that are not acknowledged, oldest first.
    var kept: [Message] = []
    /// The messages that wait for a reply, oldest first.
    var waiting: [Message] = []
    /// The frames to send at the end of the turn.
    var ready: [(text: [UInt8], isResponse: Bool)] = []
    var lastFrame: [UInt8]?
    var evaluator = SimulatedEvaluator()
    /// Sends a beacon.
    var sendBeacon: (Beacon) -> Void = { _ in }

    init(
        number: Int, tab: Int, previous: (document: String, seq: Int)?, invariants: Invariants, mistake: Mistake?
    ) {
        self.number = number
        self.tab = tab
        self.previous = previous
        self.invariants = invariants
        self.mistake = mistake
        document = "d\(number)"
    }

    var webView: String { tab == 0 ? "main" : "tab\(tab)" }
    var isOnline: Bool { connection != nil }
    var mayConnect: Bool { state == .shown && connection == nil && !isLeaving }

    // MARK: Connection

    func opened(_ connection: SimulatedConnection) {
        self.connection = connection
        hasNamedPrevious = !isKnown && previous != nil
        connection.send(.text(Wire.attach(self)))
    }

    func disconnect(_ code: CloseCode?) {
        connection?.send(.close(code))
        connection?.isOpenAtPage = false
        lostConnection()
    }

    /// The connection has ended. What is ready to be sent is kept or will be asked for again.
    func lostConnection() {
        connection = nil
        isAttached = false
        ready = []
        lastFrame = nil
    }

    /// The connection has ended, or the page thinks so because it hears nothing.
    func hearOfCut() {
        guard let connection else { return }
        if connection.isCut || !connection.isOpenAtDaemon {
            connection.isOpenAtPage = false
            lostConnection()
        } else {
            disconnect(nil)
        }
    }

    func received(_ frame: DaemonFrame) {
        switch frame {
        case .close:
            connection?.isOpenAtPage = false
            lostConnection()
        case .messages(let messages):
            for message in mistake == .reversesFrames ? messages.reversed() : messages { received(message) }
        }
    }

    private func received(_ message: DaemonMessage) {
        switch message {
        case .attached(let run, let resumed, let lastSeq): attached(resumed: resumed && run == self.run, run, lastSeq)
        case .attachFailed: state = .left
        case .acknowledgement(let seq): acknowledge(seq)
        case .reply(let seq, let isError): settle(seq, isError ? .rejected : .fulfilled)
        case .evaluation(let id, let script, let isFunction):
            if mistake == .dropsEvaluations, script % 7 == 0 { return }
            if mistake == .runsEvaluationsAgain { evaluator.forgetResponses() }
            if let response = evaluator.receive(id: id, script: script, isFunction: isFunction) {
                add(response, isResponse: true)
            }
        case .other: break
        }
    }

    /// Checks what the daemon has written to the socket, before the page reads it.
    func wasSent(_ message: DaemonMessage, on connection: SimulatedConnection) {
        guard connection === self.connection, !isLiar else { return }
        switch message {
        case .acknowledgement(let seq), .attached(_, _, let seq):
            for message in kept.prefix(while: { $0.seq <= seq }) { invariants.mustBeLogged(message.number) }
        default: break
        }
    }

    private func attached(resumed: Bool, _ run: Int, _ lastSeq: Int) {
        self.run = run
        isKnown = true
        isAttached = true
        if !resumed { evaluator.forget() }
        acknowledge(lastSeq)
        if !resumed { failAcknowledged() }
        ready = ready.filter(\.isResponse)
        if mistake == .renumbersMessages { renumber() }
        for message in kept { add(Wire.post(message)) }
    }

    /// Rejects what a handler got that is not known any more. What is still kept is sent again.
    private func failAcknowledged() {
        let oldest = kept.first?.seq ?? .max
        for message in waiting where message.seq < oldest { invariants.settled(message.number, .failed) }
        waiting.removeAll { $0.seq < oldest }
    }

    private func renumber() {
        kept = kept.map { message in
            seq += 1
            return Message(seq: seq, number: message.number, handler: message.handler)
        }
    }

    // MARK: Messages

    func post(to handler: HandlerName) {
        seq += 1
        let message = Message(seq: seq, number: invariants.posted(by: self, seq: seq, handler), handler: handler)
        kept.append(message)
        if handler.replies { waiting.append(message) }
        add(Wire.post(message))
    }

    func add(_ text: [UInt8], isResponse: Bool = false) {
        if isAttached || isLeaving { ready.append((text, isResponse)) }
    }

    var mayFlush: Bool { !ready.isEmpty && (isAttached || isLeaving) }

    func flush() {
        guard mayFlush else { return }
        let frames = ready
        ready = []
        if isAttached { send(frames.map(\.text)) }
        guard isLeaving, state != .kept else { return }
        sendBeacon(responses: isAttached ? [] : frames.filter(\.isResponse).map(\.text))
    }

    private func send(_ frames: [[UInt8]]) {
        for start in stride(from: 0, to: frames.count, by: 8) {
            let frame = Wire.batch(frames[start..<min(frames.count, start + 8)])
            lastFrame = frame
            connection?.send(.text(frame))
        }
    }

    private func acknowledge(_ seq: Int) {
        while let first = kept.first, first.seq <= seq {
            kept.removeFirst()
            invariants.toldPage(first.number)
            if !first.handler.replies { invariants.settled(first.number, .fulfilled) }
        }
    }

    private func settle(_ seq: Int, _ end: MessageEnd) {
        guard let index = waiting.firstIndex(where: { $0.seq == seq }) else { return }
        // The message itself is kept until it is acknowledged: its record may not be in the log yet.
        invariants.settled(waiting.remove(at: index).number, end)
    }

    // MARK: Scripts

    func runScript() {
        guard let (script, response) = evaluator.run() else { return }
        invariants.executed(script, on: self)
        guard let response else { return }
        // The value of another script.
        let wrong = Wire.result(id: evaluator.lastID, value: script + 1)
        add(mistake == .answersWrongly ? wrong : response, isResponse: true)
    }

    func settleFunction(_ index: Int) {
        if let response = evaluator.settle(index) { add(response, isResponse: true) }
    }

    // MARK: Leaving

    /// `pagehide`: everything that is not acknowledged goes by beacon.
    /// - Returns: what the next document of the tab names as `previous`.
    func leave() -> (document: String, seq: Int) {
        flush()
        isLeaving = true
        sendBeacon(responses: [])
        return (document, seq)
    }

    private func sendBeacon(responses: [[UInt8]]) {
        guard !kept.isEmpty || !responses.isEmpty else { return }
        sendBeacon(
            Beacon(
                body: Wire.beacon(self, kept.map { Wire.post($0, asNotification: true) } + responses),
                messages: kept.map(\.number)))
    }

    /// The document is shown again, or has not unloaded.
    func stay() {
        isLeaving = false
        state = .shown
    }
}

/// The body of a `POST /beacon`.
struct Beacon {
    let body: [UInt8]
    /// The numbers of its messages in the world; none for a liar's.
    let messages: [Int]
}
