import BridgeProtocol
import BridgeServer

/// A document with `bridge.js`: a model of what the script does on the wire (`web/bridge/page.js`, `outbox.js`,
/// `connection.js`).
@MainActor final class SimulatedPage {
    enum State {
        case shown
        /// In the back/forward cache.
        case kept
        /// In a frame that a script has removed. It stays connected until it has an answer to everything.
        case lingering
        case left
    }

    struct Message {
        let seq: Int
        /// The message's number in the simulation.
        let number: Int
        let handler: HandlerName
    }

    let number: Int
    let document: String
    let tab: Int
    /// The document whose frame shows this one; nil for a main frame.
    let parent: SimulatedPage?
    /// The document before this one, and its last message.
    let previous: AttachPage.Previous?
    /// Whether the latest `page.attach` named that document.
    var hasNamedPrevious = false
    let invariants: Invariants
    let mistake: Mistake?

    var state = State.shown
    var isLiar = false
    var isKnown = false
    /// The run of the daemon to which the document attached last.
    var run: Int?
    /// The run that has answered a call since the connection was opened.
    var metRun: Int?
    var isAttached = false
    var connection: SimulatedConnection?
    /// Whether messages also go by beacon, because the page unloads.
    var isLeaving = false
    var seq = 0
    /// The latest message when `page.attach` named what is waiting, and the latest call.
    var (namedSeq, calledSeq) = (0, 0)
    /// The messages that are not acknowledged, oldest first.
    var kept: [Message] = []
    /// The messages that wait for a reply, oldest first.
    var waiting: [Message] = []
    /// The call of an interface object that blocks the page.
    var call: Message?
    /// How many parts of the call have no answer.
    var partsLeft = 0
    /// Whether the browser sends the call twice, because a connection broke.
    var isCallRetried = false
    /// The frames to send at the end of the turn.
    var ready: [(text: [UInt8], isResponse: Bool)] = []
    var lastFrame: [UInt8]?
    var evaluator = SimulatedEvaluator()
    /// Sends a beacon.
    var sendBeacon: (Beacon) -> Void = { _ in }
    var sendCall: (SimulatedCall) -> Void = { _ in }

    init(
        number: Int, tab: Int, parent: SimulatedPage?, previous: AttachPage.Previous?,
        invariants: Invariants, mistake: Mistake?
    ) {
        self.number = number
        self.tab = tab
        self.parent = parent
        self.previous = previous
        self.invariants = invariants
        self.mistake = mistake
        document = "d\(number)"
    }

    var webView: String { tab == 0 ? "main" : "tab\(tab)" }
    var isOnline: Bool { connection != nil && call == nil }
    /// Whether the page runs scripts.
    var isRunning: Bool { state == .shown && call == nil }
    var mayConnect: Bool { isRunning && connection == nil && !isLeaving }
    /// Whether everything that it posted or called has ended.
    var isAtRest: Bool { isAttached && call == nil && kept.isEmpty && waiting.isEmpty }
    /// Whether nothing more comes of it.
    var isOver: Bool { state == .lingering && connection == nil }

    // MARK: What may happen

    var mayRunScript: Bool { call == nil && state != .lingering && evaluator.hasRequests }
    var maySettleFunction: Bool { call == nil && state != .lingering && evaluator.pendingCount > 0 }
    /// Whether a message that waits for a reply was posted after `page.attach`, and may have come with a call.
    var hasUnnamed: Bool { waiting.contains { $0.seq > namedSeq && $0.seq < calledSeq } }
    var hasToRead: Bool { call == nil && connection?.hasDownstream ?? false }

    // MARK: Connection

    func opened(_ connection: SimulatedConnection) {
        self.connection = connection
        metRun = nil
        namedSeq = seq
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
    func noticeCut() {
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
            for message in mistake == .reversesFrames ? messages.reversed() : messages where connection != nil {
                received(message)
            }
        }
    }

    private func received(_ message: DaemonAnswer) {
        switch message {
        case .attached(let run, let resumed, let lastSeq): attached(resumed: resumed, run, lastSeq)
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
    func wasSent(_ message: DaemonAnswer, on connection: SimulatedConnection) {
        guard connection === self.connection, !isLiar else { return }
        switch message {
        case .acknowledgement(let seq), .attached(_, _, let seq):
            for message in kept.prefix(while: { $0.seq <= seq }) { invariants.mustBeLogged(message.number) }
        default: break
        }
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
}
