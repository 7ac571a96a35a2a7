import BridgeProtocol
import BridgeTraffic
internal import CMainQueue
internal import CWebsockets
import Foundation

/// A libwebsockets context with its listeners and connections. All members belong to the loop's thread.
final class WebSocketContext {
    /// Whether the context serves or is stopping.
    private enum Phase {
        case serving
        /// Reads what clients have sent, until nothing has arrived for a moment or the limit is reached.
        case draining(quietAt: ContinuousClock.Instant, limit: ContinuousClock.Instant, grace: Duration)
        /// Waits for the connections to close.
        case closing(deadline: ContinuousClock.Instant)
    }

    private static let quietTime = Duration.milliseconds(20)
    /// The number of connections after whose messages a round ends.
    private static let sendersPerRound = 32
    /// How many bytes of responses a round writes, and perhaps one part more. The messages of pages must not wait until
    /// twenty large files are in their sockets: 4 MiB took 22 ms.
    private static let responseBytesPerRound = 256 << 10

    let pointer: OpaquePointer
    let uv: UVLoop
    private(set) var listening = Listening(addresses: [], port: 0)
    /// The connections that have sent a request.
    private(set) var connections = ConnectionTable()
    unowned let loop: EventLoop
    private let resources: ContextResources
    private var admission: Admission
    /// The connections that write when this round ends.
    private var writers: [Connection] = []
    /// An empty array that has the room of the one before.
    private var sparedWriters: [Connection] = []
    private var responseBytesLeft = responseBytesPerRound
    private var lastID: ConnectionID = 0
    /// How many connections have sent messages in this round, and the latest of them.
    private var senders = (count: 0, latest: ConnectionID(0))
    private var afterRound: () -> Bool = { false }
    /// Whether an event was delivered since libuv waited.
    private var hasDelivered = false
    private var phase = Phase.serving
    /// Whether a timeout was set outside of libwebsockets' callbacks.
    var hasNewTimeouts = false

    private var configuration: TransportConfiguration { loop.configuration }

    /// - Throws: `TransportError`
    init(loop: EventLoop) throws {
        self.loop = loop
        resources = ContextResources(limits: loop.configuration.limits, tls: loop.configuration.tls)
        admission = Admission(limits: loop.configuration.limits)
        LibraryLog.install()
        uv = try UVLoop()
        pointer = try resources.makeContext(loop: loop, in: uv)
        uv.whenWoken = { [unowned loop] in loop.runJobs() }
        do { listening = try listen() } catch {
            destroy()
            throw error
        }
    }

    private func listen() throws -> Listening {
        var port = configuration.port
        var addresses: [String] = []
        for (index, address) in configuration.addresses.enumerated() {
            if let error = Listener.probe(address, port: port) {
                if index > 0, error.code == .addressUnavailable { continue }
                throw error
            }
            guard let vhost = resources.makeVhost(pointer, address: address, port: port) else {
                throw cannotListen(address, port)
            }
            port = UInt16(clamping: lws_get_vhost_listen_port(vhost))
            addresses.append(address)
        }
        return Listening(addresses: addresses, port: port)
    }

    private func cannotListen(_ address: String, _ port: UInt16) -> TransportError {
        let cause =
            configuration.tls.map { " Check that the key \($0.key) belongs to the certificate \($0.certificate)." }
            ?? ""
        return TransportError(
            .libraryFailed,
            "libwebsockets could not listen on \(address) port \(port); its log lines say why.\(cause)")
    }

    /// Frees the context and its loop. Every connection gets its destroy callback during this call.
    func destroy() { resources.destroyContext(in: uv) }

    // MARK: Serving

    /// Serves until the context is stopped.
    /// - Parameter afterRound: called after each round of callbacks; returns whether the round delivered an event.
    func run(afterRound: @escaping () -> Bool) {
        self.afterRound = afterRound
        uv.beforeWait = { [unowned self] in
            endRound()
            if isStopping {
                continueDraining(hasDelivered)
                if isDone { uv.stop() }
            }
            hasDelivered = false
            responseBytesLeft = WebSocketContext.responseBytesPerRound
            continueService()
        }
        uv.run()
    }

    /// Ends a round early if it has brought messages of many connections, before another connection's are handled.
    ///
    /// If a thousand pages post at once, libuv reports all their sockets together. Answers to some of them, while those
    /// pages' data are still in the processor's caches, take less time, and the pages go on sooner.
    func willReceive(on connection: Connection) {
        guard connection.id != senders.latest else { return }
        if senders.count == WebSocketContext.sendersPerRound { endRound() }
        senders = (senders.count + 1, connection.id)
    }

    private func endRound() {
        senders = (0, 0)
        if afterRound() { hasDelivered = true }
        writeMessages()
    }

    /// Wakes libwebsockets' plugin for libuv if there is work that it does not notice by itself: only after an event of
    /// a socket it looks at timeouts and, once, at input that libwebsockets has buffered. It knows nothing of responses
    /// that the round has left for the next one.
    private func continueService() {
        guard hasNewTimeouts || hasBufferedInput || !writers.isEmpty else { return }
        hasNewTimeouts = false
        lws_cancel_service(pointer)
    }

    /// Whether libwebsockets has read something from a connection that it can handle now and has not handled yet.
    var hasBufferedInput: Bool { lws_service_adjust_timeout(pointer, 1, 0) == 0 }

    private var isStopping: Bool { if case .serving = phase { false } else { true } }

    private var isDone: Bool {
        switch phase {
        case .serving: false
        case .draining: connections.isEmpty
        case .closing(let deadline): connections.isEmpty || ContinuousClock.now >= deadline
        }
    }

    /// Schedules a connection to write its messages at the end of this round, without waiting until the loop reports
    /// that its socket is writable.
    func writeAfterRound(_ connection: Connection) { writers.append(connection) }

    private func writeMessages() {
        guard !writers.isEmpty else { return }
        // Some of them may have to write in the next round, too.
        swap(&writers, &sparedWriters)
        for connection in sparedWriters { connection.writeNow() }
        sparedWriters.removeAll(keepingCapacity: true)
    }

    /// Whether this round may write a further part of a response.
    var hasRoomForResponses: Bool { responseBytesLeft > 0 }

    /// Notes that a part of a response was written.
    func wroteResponse(_ bytes: Int) { responseBytesLeft -= bytes }

    // MARK: Stopping

    /// Stops accepting connections and reads what clients have sent, for `limit` at most. Then closes all connections
    /// with 1001 and waits for them, for `grace` at most.
    func beginStopping(draining limit: Duration, grace: Duration) {
        guard case .serving = phase else { return }
        phase = .draining(quietAt: .now + WebSocketContext.quietTime, limit: .now + limit, grace: grace)
        uv.tick(everyMilliseconds: 5)
    }

    private func continueDraining(_ hasDelivered: Bool) {
        guard case .draining(var quietAt, let limit, let grace) = phase else { return }
        let now = ContinuousClock.now
        if hasDelivered { quietAt = now + WebSocketContext.quietTime }
        guard now >= min(quietAt, limit) else {
            phase = .draining(quietAt: quietAt, limit: limit, grace: grace)
            return
        }
        // This deadline applies only until the main actor has handled everything and `closeConnections` sets the real
        // one.
        phase = .closing(deadline: now + .seconds(60))
        loop.performWhenHandled { $0.closeConnections(grace: grace) }
    }

    private func closeConnections(grace: Duration) {
        phase = .closing(deadline: .now + grace)
        for connection in connections.all {
            connection.close(.goingAway, "the daemon stops")
        }
    }

    // MARK: The main queue

    /// Waits for the main dispatch queue together with the sockets, so that the main actor's work runs on this thread.
    func watchMainQueue() throws {
        #if os(Linux)
            let descriptor = _dispatch_get_main_queue_handle_4CF()
            let isWatched = uv.watch(descriptor) { bridged_drain_main_queue(descriptor) }
            guard isWatched else {
                throw TransportError(.libraryFailed, "libuv could not poll the main dispatch queue.")
            }
        #else
            throw TransportError(.libraryFailed, "The main dispatch queue can be polled only on Linux.")
        #endif
    }

    // MARK: Connections

    /// Whether to accept a TCP connection. Nothing has been read from it yet.
    /// - Parameter socket: a descriptor that libwebsockets passes as a pointer.
    func admits(socket: UnsafeMutableRawPointer?) -> Bool {
        guard case .serving = phase else { return false }
        let address = PeerAddress(socket: Int32(truncatingIfNeeded: Int(bitPattern: socket)))
        guard let refusal = admission.refusal(of: address) else { return true }
        loop.deliver(.refused(refusal.from(address)))
        return false
    }

    /// Makes a connection for an accepted socket, so that it is counted even if it never sends anything.
    func accepted(_ wsi: OpaquePointer) {
        if Connection.of(wsi) == nil { _ = makeConnection(wsi) }
    }

    /// Returns the connection of `wsi`, which has now sent a complete request header, and makes it if there is none.
    func connection(of wsi: OpaquePointer) -> Connection {
        let connection = Connection.of(wsi) ?? makeConnection(wsi)
        if !connection.hasSentRequest {
            connection.hasSentRequest = true
            connections[connection.id] = connection
        }
        return connection
    }

    /// Handles an event of OpenSSL, which may come before libwebsockets reports the connection.
    /// - Parameter info: a `lws_ssl_info`.
    func handleTLS(_ wsi: OpaquePointer, _ info: UnsafeMutableRawPointer?) {
        guard let info = info?.load(as: lws_ssl_info.self),
            let event = TLSHandshake.Event(place: info.where, value: info.ret)
        else { return }
        accepted(wsi)
        Connection.of(wsi)?.handle(event)
    }

    private func makeConnection(_ wsi: OpaquePointer) -> Connection {
        lastID += 1
        let connection = Connection(id: lastID, wsi: wsi, context: self)
        admission.enter(connection.address)
        return connection
    }

    func forget(_ connection: Connection) {
        admission.leave(connection.address)
        connections[connection.id] = nil
    }

    /// Checks one share of the connections.
    func checkLiveness(_ turn: UInt64) {
        for connection in connections.share(ofTurn: turn) { connection.checkLiveness() }
    }
}

@available(*, unavailable) extension WebSocketContext: Sendable {}
