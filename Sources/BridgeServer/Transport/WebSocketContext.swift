import BridgeTraffic
internal import CWebsockets
import Foundation
import Logging

/// A libwebsockets context with its listeners and connections. Bound to the loop's thread: every member is for that
/// thread alone.
final class WebSocketContext {
    let context: OpaquePointer
    private(set) var listening = Listening(addresses: [], port: 0)
    private unowned let loop: EventLoop
    private let memory: ContextResources
    /// Those that have asked for something.
    private var connections: [ConnectionID: Connection] = [:]
    private var admission: Admission
    /// What has messages to write when this round ends.
    private var waiting: [Connection] = []
    private var nextID: ConnectionID = 0
    private var mainQueueDescriptor: Int32?
    private var stopDeadline: ContinuousClock.Instant?
    /// While it stops: what has been sent is read until nothing comes for a moment, or until the limit. Nil once
    /// good-bye is said.
    private var drain: (quietAt: ContinuousClock.Instant, limit: ContinuousClock.Instant)?
    private var grace = Duration.zero

    var configuration: TransportConfiguration { loop.configuration }
    private var isStopping: Bool { drain != nil || stopDeadline != nil }

    /// - Throws: `TransportError`
    init(loop: EventLoop) throws {
        self.loop = loop
        memory = ContextResources(limits: loop.configuration.limits, tls: loop.configuration.tls)
        admission = Admission(limits: loop.configuration.limits)
        LibraryLog.install()
        guard let context = memory.makeContext(loop: loop) else {
            throw TransportError(
                code: .libraryFailed, description: "libwebsockets could not make its context; its log lines say why.")
        }
        self.context = context
        do { listening = try listen() } catch {
            lws_context_destroy(context)
            throw error
        }
    }

    // MARK: Listening

    private func listen() throws -> Listening {
        var port = configuration.port
        var addresses: [String] = []
        for (index, address) in configuration.addresses.enumerated() {
            if let error = Listener.probe(address, port: port) {
                if index > 0, error.code == .addressUnavailable { continue }
                throw error
            }
            guard let vhost = memory.makeVhost(context, address: address, port: port) else {
                throw cannotListen(address, port)
            }
            port = UInt16(clamping: lws_get_vhost_listen_port(vhost))
            addresses.append(address)
        }
        return Listening(addresses: addresses, port: port)
    }

    private func cannotListen(_ address: String, _ port: UInt16) -> TransportError {
        let cause =
            configuration.tls.map { " Perhaps the key \($0.key) is not that of the certificate \($0.certificate)." }
            ?? ""
        return TransportError(
            code: .libraryFailed,
            description:
                "libwebsockets could not listen on \(address) port \(port); its log lines (--verbose) say why.\(cause)")
    }

    // MARK: Running

    /// Serves until it is stopped. `afterRound` is called after each round of callbacks, and tells whether it brought
    /// anything.
    ///
    /// - Throws: `TransportError` where libwebsockets can't go on.
    func run(afterRound: () -> Bool) throws {
        while !isDone {
            // A timeout below 0 only looks; any other waits for something to happen.
            guard lws_service(context, drain == nil ? 0 : -1) >= 0 else {
                throw TransportError(
                    code: .libraryFailed, description: "libwebsockets could not go on serving; its log lines say why.")
            }
            let hasBrought = afterRound()
            writeWaiting()
            if drain != nil { goOnDraining(hasBrought) }
        }
    }

    /// A round's messages go out at its end, without waiting for a poll that says that the socket takes them.
    private func writeWaiting() {
        guard !waiting.isEmpty else { return }
        for connection in waiting { connection.writeAtOnce() }
        waiting.removeAll(keepingCapacity: true)
    }

    private static let quietTime = Duration.milliseconds(20)

    private func goOnDraining(_ hasBrought: Bool) {
        let now = ContinuousClock.now
        if hasBrought { drain?.quietAt = now + WebSocketContext.quietTime }
        guard let drain, now >= min(drain.quietAt, drain.limit) else { return }
        // From here on it waits for what happens; `isStopping` must not lapse before good-bye is said.
        self.drain = nil
        stopDeadline = .now + .seconds(60)
        loop.performWhenHandled { $0.sayGoodbye() }
    }

    private var isDone: Bool {
        guard isStopping else { return false }
        return connections.isEmpty || stopDeadline.map { ContinuousClock.now >= $0 } ?? false
    }

    /// Stops accepting, reads what was sent, for as long as it may, and then says 1001 to all, who have so long a grace
    /// to answer.
    func beginStopping(draining limit: Duration, grace: Duration) {
        guard !isStopping else { return }
        self.grace = grace
        drain = (.now + WebSocketContext.quietTime, .now + limit)
        loop.wake()
    }

    /// A timer of the loop's own ends the grace.
    private func sayGoodbye() {
        stopDeadline = .now + grace
        DispatchQueue.global().asyncAfter(deadline: .now() + grace.seconds) { [loop] in loop.wake() }
        for connection in connections.values { connection.close(.goingAway, "the daemon stops") }
        loop.wake()
    }

    /// Frees the context. Every connection hears its destroy callback in here.
    func destroy() {
        lws_context_destroy(context)
    }

    /// Polls the main dispatch queue beside the sockets, so that the main actor's work runs on this thread.
    func adoptMainQueue() throws {
        #if os(Linux)
            // lws closes what it polls; the queue's own descriptor must stay open.
            let descriptor = dup(_dispatch_get_main_queue_handle_4CF())
            guard let vhost = memory.firstVhost,
                bridged_lws_adopt_file(vhost, descriptor, ContextResources.mainQueueProtocol) != nil
            else {
                throw TransportError(
                    code: .libraryFailed, description: "libwebsockets could not poll the main dispatch queue.")
            }
            mainQueueDescriptor = descriptor
        #else
            throw TransportError(
                code: .libraryFailed, description: "Only Linux's main dispatch queue has a descriptor to poll.")
        #endif
    }

    /// The main queue has work: it runs here. The eight bytes have to be read first, or the descriptor stays readable.
    func drainMainQueue() {
        #if os(Linux)
            guard let mainQueueDescriptor else { return }
            var count: UInt64 = 0
            _ = read(mainQueueDescriptor, &count, MemoryLayout<UInt64>.size)
            _dispatch_main_queue_callback_4CF(nil)
        #endif
    }

    // MARK: Connections

    /// The object of `wsi`, which asks for something.
    func connection(of wsi: OpaquePointer) -> Connection {
        let connection = Connection.of(wsi) ?? makeConnection(wsi)
        if !connection.hasAsked {
            connection.hasAsked = true
            connections[connection.id] = connection
        }
        return connection
    }

    /// False refuses a TCP connection before anything is read from it.
    /// - Parameter socket: a descriptor in place of a pointer, as lws passes it.
    func admits(socket: UnsafeMutableRawPointer?) -> Bool {
        guard !isStopping else { return false }
        let address = PeerAddress(socket: Int32(truncatingIfNeeded: Int(bitPattern: socket)))
        guard let refusal = admission.refusal(of: address) else { return true }
        deliver(.refused(refusal))
        return false
    }

    /// A TCP connection counts from here on, whether or not it ever says something.
    func accepted(_ wsi: OpaquePointer) {
        if Connection.of(wsi) == nil { _ = makeConnection(wsi) }
    }

    /// OpenSSL tells of a connection before lws says that there is one.
    /// - Parameter info: a `lws_ssl_info`.
    func heardOfTLS(_ wsi: OpaquePointer, _ info: UnsafeMutableRawPointer?) {
        guard let info = info?.load(as: lws_ssl_info.self),
            let event = TLSHandshake.Event(place: info.where, value: info.ret)
        else { return }
        accepted(wsi)
        Connection.of(wsi)?.heard(event)
    }

    private func makeConnection(_ wsi: OpaquePointer) -> Connection {
        nextID += 1
        let connection = Connection(id: nextID, wsi: wsi, service: self)
        admission.enter(connection.address)
        return connection
    }

    func forget(_ connection: Connection) {
        admission.leave(connection.address)
        connections[connection.id] = nil
    }

    func runJobs() { loop.runJobs() }
    func deliver(_ event: TransportEvent) { loop.deliver(event) }

    func makeChannel(for connection: Connection) -> Channel {
        Channel(
            id: connection.id, role: connection.handshake.role, loop: loop, limits: configuration.limits.outbox)
    }

    func responder(for connection: Connection) -> HTTPResponder {
        HTTPResponder(id: connection.id, loop: loop)
    }

    /// Each turn looks at so large a share of the connections: pings to ten thousand at once would keep all waiting.
    static let livenessShares: ConnectionID = 16

    /// Finds WebSockets whose peers have gone without a word.
    func checkLiveness(_ turn: UInt64) {
        let share = turn % WebSocketContext.livenessShares
        for (id, connection) in connections where id % WebSocketContext.livenessShares == share {
            connection.checkLiveness()
        }
    }

    // MARK: What the hub asks for. A connection that is gone by now is no error: `closed` is on its way to the hub.

    func requestWrite(_ id: ConnectionID) { connections[id]?.requestWrite() }
    func writeSoon(_ id: ConnectionID) { if let connection = connections[id] { waiting.append(connection) } }
    func closeIfHungUp(_ id: ConnectionID) { connections[id]?.closeIfHungUp() }
    func close(_ id: ConnectionID, _ code: CloseCode, _ reason: String) { connections[id]?.close(code, reason) }
    func respond(_ id: ConnectionID, _ response: HTTPResponse) { connections[id]?.respond(response) }
    func respond(_ id: ConnectionID, contentType: String, _ stream: HTTPStream) {
        guard let connection = connections[id] else { return deliver(.streamEnded(stream)) }
        connection.respond(contentType: contentType, stream)
    }
    func dropSlowReader(_ id: ConnectionID) { connections[id]?.dropSlowReader() }
}

@available(*, unavailable) extension WebSocketContext: Sendable {}
