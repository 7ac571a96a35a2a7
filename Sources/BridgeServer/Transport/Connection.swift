import BridgeProtocol
import BridgeTraffic
internal import CWebsockets

/// One libwebsockets connection: first HTTP, then perhaps a WebSocket. All members belong to the loop's thread.
///
/// libwebsockets retains the connection by its opaque user data. `init` retains it, and only `destroyed` releases it.
final class Connection {
    let id: ConnectionID
    /// The libwebsockets handle of the connection; nil after libwebsockets has destroyed it.
    private(set) var wsi: OpaquePointer?
    let address: PeerAddress
    let acceptedAt = ContinuousClock.now
    /// Whether a complete request header has arrived at least once.
    var hasSentRequest = false
    /// The progress of the TLS handshake; nil if the daemon serves plain http.
    var tls: TLSHandshake?
    unowned let context: WebSocketContext
    let loop: EventLoop
    private var countedBytes = 0
    /// The time since which the connection makes the daemon hold bytes; nil if it does not.
    private(set) var heldSince: ContinuousClock.Instant?

    var phase = ConnectionPhase.idle
    /// Whether `end` was called: libwebsockets will end the connection even if its peer does not answer.
    private var isEnding = false
    var afterResponse = AfterResponse.nextRequest
    /// The pieces of a request's body, or of a message.
    // Unchecked for overlapping accesses: what is done with it calls nothing else.
    @exclusivity(unchecked) var incoming = IncomingMessage()

    // WebSocket
    var role = ConnectionRole.page
    /// The client that made the handshake.
    var sender = PageSender()
    /// The size of the batch of which libwebsockets still buffers a part, because the kernel has not taken it; 0 if it
    /// buffers nothing.
    var unsentBytes = 0
    var liveness = Liveness()
    var closure = Closure(code: nil, byPeer: false)

    var configuration: TransportConfiguration { loop.configuration }
    var socket: TCPSocket? { wsi.map(TCPSocket.init) }

    init(id: ConnectionID, wsi: OpaquePointer, context: WebSocketContext) {
        self.id = id
        self.wsi = wsi
        self.context = context
        loop = context.loop
        address = PeerAddress(socket: lws_get_socket_fd(wsi))
        tls = context.loop.configuration.tls.map { _ in TLSHandshake() }
        // Retained until `destroyed`.
        lws_set_opaque_user_data(wsi, Unmanaged.passRetained(self).toOpaque())
    }

    deinit { assert(wsi == nil, "a connection was released before libwebsockets destroyed it") }

    /// The connection that `wsi` belongs to; nil if none was made for it.
    static func of(_ wsi: OpaquePointer) -> Connection? {
        // Unretained: libwebsockets retains the connection until `destroyed`.
        lws_get_opaque_user_data(wsi).map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Handles libwebsockets' last callback for the connection, after which it frees `wsi`.
    func destroyed() {
        guard let wsi, let user = lws_get_opaque_user_data(wsi) else { return }
        lws_set_opaque_user_data(wsi, nil)
        self.wsi = nil
        context.forget(self)
        if let failure = tls?.failure(of: address) { loop.deliver(.refused(failure.from(address))) }
        closed()
        loop.count(-countedBytes)
        if let stream = phase.response?.stream { loop.deliver(.streamEnded(stream)) }
        if case .answering = phase { loop.deliver(.abandoned(id)) }
        // Released: this is the retain made in `init`.
        Unmanaged<Connection>.fromOpaque(user).release()
    }

    /// Handles an event that OpenSSL reports. Events before the client has sent anything are ignored.
    func handle(_ event: TLSHandshake.Event) {
        guard let socket, socket.receivedBytes > 1 else { return }
        tls?.handle(event, bytesRead: socket.readBytes)
    }

    /// Ends the connection after `seconds`, or at once, even if its peer does not answer.
    ///
    /// Code outside of libwebsockets' callbacks must not call `lws_set_timeout` itself: the loop would not wait for it.
    func end(within seconds: Int32) {
        guard let wsi else { return }
        isEnding = true
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, seconds > 0 ? seconds : LWS_TO_KILL_ASYNC)
        context.hasNewTimeouts = true
    }

    /// Forgets that the connection was to end after its response, because it has become a WebSocket.
    /// - Returns: whether it was to end.
    func forgetEnd() -> Bool {
        defer { isEnding = false }
        return isEnding
    }

    // MARK: Memory

    /// How many bytes the connection makes the daemon hold.
    var heldBytes: Int {
        countedBytes + (phase.channel?.waitingBytes ?? 0) + (phase.response?.stream?.waitingBytes ?? 0)
    }

    var isClosing: Bool { if case .closing = phase { true } else { isEnding } }

    /// Counts again what the connection holds itself. Its channel and its stream count what waits there.
    func countMemory() {
        let bytes = incoming.capacity + (phase.response?.count ?? 0) + unsentBytes
        guard bytes != countedBytes else { return }
        heldSince = bytes == 0 ? nil : heldSince ?? .now
        loop.count(bytes - countedBytes)
        countedBytes = bytes
    }

    /// Closes the connection and drops what it holds, because all connections together hold too much.
    func closeToFreeMemory() {
        let text =
            "All connections together held more than \(configuration.limits.memoryBytes) bytes, so one from "
            + "\(address.text) that held \(heldBytes) was closed."
        let refusal = Refusal(
            code: .memoryUsedUp, text: text,
            hint:
                "A page attaches again and resumes by itself. If you need more, raise \(setting("max-memory-bytes", "limits.memoryBytes"))."
        )
        if phase.channel != nil {
            // libwebsockets buffers what the kernel has not taken until the connection ends. A client that leaves so
            // much unread would not get the close frame, either.
            giveUp(refusal, reason: "the daemon holds too much for its clients", within: unsentBytes > 0 ? 0 : 1)
        } else {
            loop.deliver(.refused(refusal.from(address)))
            end(within: 0)
            switch phase {
            case .receiving: phase = .idle
            case .responding(let response) where response.stream == nil: phase = .idle
            default: break
            }
        }
        incoming = IncomingMessage()
        countMemory()
    }

    // MARK: Writing

    /// Calls `timerFired` after a time. It is not cancelled, because libwebsockets 4.1 cannot do that.
    func setTimer(_ time: Duration) {
        guard let wsi else { return }
        lws_set_timer_usecs(wsi, lws_usec_t(time / .microseconds(1)))
        context.hasNewTimeouts = true
    }

    /// Checks what the connection waits for, if it still does. Returns -1 to close the connection.
    func timerFired() -> Int32 {
        switch phase {
        case .closing(_, let close): if close.checksLeft > 0 { checkClose(close) }
        case .open: checkIncoming()
        case .closed: break
        default: if !isEnding { return checkClient() }
        }
        return 0
    }

    func requestWrite() {
        if let wsi { lws_callback_on_writable(wsi) }
    }

    /// Schedules the queued messages to be written at the end of the loop's round.
    func writeAfterRound() { context.writeAfterRound(self) }

    /// Writes the buffer from `start` on. libwebsockets overwrites up to `EventLoop.headroom` bytes before it, and
    /// buffers what the kernel does not take. Returns false if the connection is broken.
    func write(_ buffer: inout [UInt8], from start: Int = EventLoop.headroom, _ type: lws_write_protocol) -> Bool {
        buffer.withUnsafeMutableBytes { write($0, from: start, type) }
    }

    func write(_ buffer: UnsafeMutableRawBufferPointer, from start: Int, _ type: lws_write_protocol) -> Bool {
        guard let wsi, let base = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        let count = buffer.count - start
        return lws_write(wsi, base + start, count, type) >= count
    }
}

/// What follows the response to a request.
enum AfterResponse {
    case nextRequest
    case close
    /// The rest of a body that was refused is read before the connection is closed.
    case restOfBody
}

@available(*, unavailable) extension Connection: Sendable {}
