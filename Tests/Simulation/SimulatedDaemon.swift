import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Logging

/// One run of the daemon: the real parts of the server, over a transport of the simulation that behaves as
/// `Connection` and `WebSocketContext` do.
@MainActor final class SimulatedDaemon {
    let parts: ServerParts
    let traffic: TrafficLog
    let life = Life()
    let invariants: Invariants
    let archiveThread: SimulatedThread
    let transport = SimulatedTransport()
    private(set) var connections: [SimulatedConnection] = []
    private var lastID: ConnectionID = 0
    private let settings: Settings
    /// Whether it got SIGTERM and accepts no more connections.
    var isStopping = false
    /// The replies that handlers have not given yet.
    private(set) var owedReplies: [(reply: Reply, body: ScriptValue)] = []

    /// - Throws: `LogFileError` if the disk is full.
    init(_ settings: Settings, clock: SimulatedClock, disk: SimulatedDisk, invariants: Invariants, mistake: Mistake?)
        throws
    {
        self.settings = settings
        self.invariants = invariants
        let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
        traffic = try TrafficLog(
            path: "log", kept: settings.kept, waiting: settings.waiting, logger: logger, clock: clock,
            disk: MountedDisk(disk, life, invariants, mistake))
        archiveThread = SimulatedThread(disk, clock, life, invariants)
        if settings.hasArchive {
            traffic.keep(in: SimulatedArchive(disk, life, invariants, mistake), on: archiveThread)
        }
        parts = ServerParts(limits: settings.limits, discriminator: "name", traffic: traffic)
        transport.daemon = self
    }

    func settleReply(_ index: Int, _ kind: ReplyKind) {
        guard !owedReplies.isEmpty else { return }
        let (reply, body) = owedReplies.remove(at: index % owedReplies.count)
        switch kind {
        case .resolve: reply.resolve(body)
        case .reject: reply.reject("no")
        case .release: break
        }
    }

    func owe(_ reply: Reply, _ body: ScriptValue) { owedReplies.append((reply, body)) }

    // MARK: Connections

    func accept(_ page: SimulatedPage) {
        guard !isStopping else { return }
        lastID += 1
        let channel = Channel(id: lastID, role: .page, transport: transport, limits: settings.outbox)
        let connection = SimulatedConnection(channel: channel, page: page)
        connections.append(connection)
        parts.channel.opened(channel)
        page.opened(connection)
    }

    func connection(_ id: ConnectionID) -> SimulatedConnection? {
        connections.first { $0.channel.id == id && $0.isOpenAtDaemon }
    }

    /// Delivers the next bytes of a page.
    func deliver(_ connection: SimulatedConnection, bytes: Int) {
        for frame in connection.takeUpstream(bytes: bytes) where connection.isOpenAtDaemon {
            switch frame {
            case .text(let bytes): deliver(bytes, connection)
            case .close(let code): close(connection, Closure(code: code, byPeer: true))
            }
        }
    }

    private func deliver(_ bytes: [UInt8], _ connection: SimulatedConnection) {
        guard bytes.count <= settings.limits.messageBytes else { return fail(connection, .messageTooBig) }
        let result = bytes.withUnsafeBytes { bytes in Result { () throws(JSONParseError) in try PageFrame(bytes) } }
        if case .failure(let error) = result, error.cause == .invalidUTF8 { return fail(connection, .invalidPayload) }
        parts.channel.received(result, on: connection.channel)
    }

    /// Closes a connection because of what the page sent.
    private func fail(_ connection: SimulatedConnection, _ code: CloseCode) {
        connection.receive(.close(code))
        close(connection, Closure(code: code, byPeer: false))
    }

    /// Reports the end of a connection, once.
    func close(_ connection: SimulatedConnection, _ closure: Closure) {
        guard connection.isOpenAtDaemon else { return }
        connection.isOpenAtDaemon = false
        connections.removeAll { $0 === connection }
        connection.channel.discard()
        parts.channel.closed(connection.channel, closure)
    }

    // MARK: Rounds

    func endRound() {
        parts.channel.roundEnded()
        writeAll()
        connections.forEach(checkSize)
    }

    /// Within a round more may wait: each answer to what came in it. After it, one message more than the limit may.
    private func checkSize(_ connection: SimulatedConnection) {
        let (waiting, limit) = (connection.channel.waitingBytes, settings.outbox.bytes)
        if connection.pendingClose == nil, waiting > limit + settings.limits.messageBytes + 4_096 {
            invariants.violate(.memory, "\(waiting) bytes wait on a connection after a round; the limit is \(limit)")
        }
    }

    /// Writes to all connections that have something to write.
    func writeAll() {
        for connection in transport.takeWriters() where connection.isOpenAtDaemon { write(connection) }
    }

    /// Writes the messages that wait, and closes the connection after the last one if that was asked for.
    func write(_ connection: SimulatedConnection) {
        while connection.isOpenAtDaemon, !connection.isChoked, let batch = connection.channel.nextBatch() {
            guard life.lasts() else { return }
            let messages = batch.send { buffer, start in
                DaemonAnswer.read(UnsafeRawBufferPointer(rebasing: buffer[start...]))
            }
            for message in messages { connection.page.wasSent(message, on: connection) }
            connection.receive(.messages(messages))
        }
        let waitsTooMuch = connection.channel.isOverfull || connection.channel.hasTooManyMessages
        if connection.isOpenAtDaemon, connection.pendingClose == nil, waitsTooMuch {
            connection.receive(.close(.tryAgainLater))
            close(connection, Closure(code: nil, byPeer: false))
        }
        if let code = connection.pendingClose, connection.isOpenAtDaemon, !connection.channel.hasWaiting {
            guard life.lasts() else { return }
            connection.receive(.close(code))
            close(connection, Closure(code: code, byPeer: false))
        }
    }

    func receive(_ beacon: Beacon) {
        do {
            try parts.departure.receiveBeacon(beacon.body)
            if life.isAlive { invariants.accepted(beacon) }
        } catch {
            guard life.isAlive, !traffic.isFull, !beacon.messages.isEmpty else { return }
            invariants.violate(.ends, "a beacon was refused: \(error.message)")
        }
    }

    func receive(_ call: SimulatedCall) {
        do {
            var rest = call
            guard let part = rest.parts.popFirst() else { return }
            try parts.departure.receiveCall(part) { [life] answer, isKept, run in
                guard life.lasts() else { return }
                if rest.parts.isEmpty {
                    call.page.received(answer, isKept: isKept, to: call.message, of: run)
                } else {
                    call.page.received(of: run, thenSend: rest)
                }
            }
        } catch {
            if life.isAlive, !traffic.isFull {
                invariants.violate(.ends, "a call was refused: \(error.message)")
            }
            call.page.failCall(call.message)
        }
    }

    // MARK: The end

    /// SIGTERM.
    func beginStopping() {
        isStopping = true
        parts.documents.beginStopping()
        traffic.waitForArchive(until: traffic.clock.now + .seconds(5))
        traffic.flush()
    }

    /// Closes all connections and ends, as after SIGTERM.
    func finishStop() {
        endRound()
        for connection in connections {
            connection.pendingClose = connection.pendingClose ?? .goingAway
            write(connection)
            // The daemon does not wait longer for a page that does not read.
            close(connection, Closure(code: .goingAway, byPeer: false))
        }
        parts.documents.endReplies()
        traffic.countRepeatedProblems()
        traffic.finish(before: traffic.clock.now + .seconds(1))
    }

    /// Releases what would keep its parts alive.
    func release() {
        life.end(afterEffects: 0)
        // The deadline of a connection retains its channel.
        for connection in connections { close(connection, Closure(code: nil, byPeer: false)) }
        owedReplies = []
        parts.webViews.defaultScope.handlers = [:]
        parts.webViews.defaultScope.javascriptInterfaces = [:]
    }
}
