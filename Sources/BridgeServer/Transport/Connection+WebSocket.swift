import BridgeProtocol
import BridgeTraffic
internal import CWebsockets

/// The WebSocket side of a connection (RFC 6455): the handshake, whole text messages in, batches out, and the close.
extension Connection {
    // MARK: Handshake

    /// Lets a page in, or answers why not. The header fields are at hand here for the last time.
    func confirmUpgrade(to name: UnsafeMutableRawPointer?) -> Int32 {
        let headers = readHeaders()
        let upgrade = name.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
        let path = header(WSI_TOKEN_GET_URI) ?? ""
        if let refusal = service.configuration.access.refusal(ofUpgrade: upgrade, path: path, headers) {
            service.deliver(.refused(refusal))
            var response = HTTPResponse.refusal(refusal).serialized(
                headroom: EventLoop.headroom, withBody: true, closes: true)
            // More than 0 says that the answer was written here.
            return write(&response, from: EventLoop.headroom, LWS_WRITE_HTTP) ? 1 : -1
        }
        handshake = Handshake(
            role: ConnectionRole(path: path) ?? .page, origin: headers.origin, userAgent: headers.userAgent)
        return 0
    }

    func established() {
        let channel = service.makeChannel(for: self)
        self.channel = channel
        service.deliver(.opened(channel, handshake))
    }

    // MARK: In

    /// A message, or a piece of one: of a fragment, or of a fragment longer than lws's buffer.
    func received(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let wsi else { return -1 }
        // Whoever is being closed is not heard any more.
        guard let channel else { return pendingClose == nil ? -1 : 0 }
        liveness.heard()
        if lws_frame_is_binary(wsi) != 0 {
            return fail(
                .binaryMessage, .unsupportedData, "binary message", "The wire protocol is JSON in text messages.")
        }
        let limit = service.configuration.limits.messageBytes
        let size = gathered.count + bytes.count + lws_remaining_packet_payload(wsi)
        guard size <= limit else {
            return fail(
                .messageTooBig, .messageTooBig, "message of \(size) bytes or more, over the limit of \(limit)",
                "Send less at a time, or start the daemon with a higher --max-message-bytes.")
        }
        let isWhole = lws_is_final_fragment(wsi) != 0
        if isWhole, gathered.isEmpty { return deliver(bytes, to: channel) }
        gathered.append(contentsOf: bytes)
        guard isWhole else { return 0 }
        let message = gathered
        gathered = []
        return message.withUnsafeBytes { deliver($0, to: channel) }
    }

    /// jansson checks UTF-8 as it parses, so lws need not do it before.
    private func deliver(_ bytes: UnsafeRawBufferPointer, to channel: Channel) -> Int32 {
        do throws(JSONParseError) {
            try JSON.checkNesting(of: bytes, limit: service.configuration.limits.nesting)
            service.deliver(try Connection.event(of: bytes, channel))
        } catch {
            guard error.cause != .invalidUTF8 else {
                return fail(
                    .invalidUTF8, .invalidPayload, "text message that is not UTF-8: \(error)",
                    "RFC 6455 asks for UTF-8 in text messages.")
            }
            service.deliver(
                channel.role == .page ? .received(channel, .failure(error)) : .called(channel, .failure(error)))
        }
        return 0
    }

    private static func event(of bytes: UnsafeRawBufferPointer, _ channel: Channel) throws(JSONParseError)
        -> TransportEvent
    {
        switch channel.role {
        case .page: .received(channel, .success(try PageFrame(bytes)))
        case .control: .called(channel, .success(try JSON.parse(bytes)))
        }
    }

    // MARK: Out

    /// The socket takes data: writes batches until it is full, then closes if that was asked for.
    func writeMessages() -> Int32 {
        guard channel != nil || pendingClose != nil else { return -1 }
        if liveness.takePing() {
            // lws tells nothing of a pong that is empty.
            var frame = [UInt8](repeating: 0, count: EventLoop.headroom) + Array("alive?".utf8)
            guard write(&frame, from: EventLoop.headroom, LWS_WRITE_PING) else { return -1 }
        }
        guard writeBatches() else { return -1 }
        if channel?.hasWaiting == true {
            requestWrite()
        } else if let pendingClose {
            return say(pendingClose.code, pendingClose.reason)
        }
        return 0
    }

    /// Writes what waits, outside of lws's callbacks. What the kernel does not take lws keeps and sends.
    func writeAtOnce() {
        guard let wsi, let channel else { return }
        // Only a callback can close, and lws is not to be handed more while it keeps some.
        guard pendingClose == nil, lws_partial_buffered(wsi) == 0 else { return requestWrite() }
        guard writeBatches() else { return lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC) }
        if channel.hasWaiting { requestWrite() }
    }

    /// Writes batches until the socket is full. False if the connection is broken.
    private func writeBatches() -> Bool {
        guard let wsi else { return false }
        while let channel, let batch = channel.nextBatch() {
            guard batch.send({ write($0, from: $1, LWS_WRITE_TEXT) }) else { return false }
            // Asking costs a system call.
            if channel.hasWaiting, lws_send_pipe_choked(wsi) != 0 { break }
        }
        return true
    }

    /// Writes the buffer from `start` on; lws overwrites up to `EventLoop.headroom` bytes before it. False if the
    /// connection is broken.
    func write(_ buffer: inout [UInt8], from start: Int, _ type: lws_write_protocol) -> Bool {
        buffer.withUnsafeMutableBytes { write($0, from: start, type) }
    }

    private func write(_ buffer: UnsafeMutableRawBufferPointer, from start: Int, _ type: lws_write_protocol) -> Bool {
        guard let wsi, let base = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        let count = buffer.count - start
        return lws_write(wsi, base + start, count, type) >= count
    }

    // MARK: Signs of life

    /// Whether anybody is there still (RFC 6455, 5.5.2). Called now and then; see `Liveness`.
    func checkLiveness() {
        guard let wsi, channel != nil else { return }
        switch liveness.look() {
        case .alive: break
        case .silent: requestWrite()
        case .broken:
            // The hub hears it now: lws takes its time to say good-bye to somebody who does not answer.
            closed()
            lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC)
        }
    }

    // MARK: The end

    /// Closes once all that waits is written, or when the time is over.
    func close(_ code: CloseCode, _ reason: String, within seconds: Int32 = 1) {
        guard let wsi, pendingClose == nil else { return }
        pendingClose = (code, reason)
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, seconds)
        requestWrite()
    }

    /// The peer does not read. What waits is dropped: the page knows what was not acknowledged. The hub is told at
    /// once, the peer when it reads on.
    func dropSlowReader() {
        guard pendingClose == nil, channel != nil else { return }
        service.deliver(.refused(slowReader))
        close(.tryAgainLater, "too much is waiting to be read", within: 30)
        closed()
    }

    func peerCloses(_ payload: UnsafeRawBufferPointer) {
        // RFC 6455, 5.5.1: the first two bytes are the status code.
        let code = payload.count >= 2 ? CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1])) : nil
        closure = Closure(code: code, byPeer: true)
    }

    func closed() {
        guard let channel else { return }
        self.channel = nil
        service.deliver(.closed(channel, closure))
    }

    private func fail(_ refusal: Refusal.Code, _ code: CloseCode, _ what: String, _ hint: String) -> Int32 {
        service.deliver(
            .refused(
                Refusal(code: refusal, text: "A \(handshake.role.rawValue) connection sent a \(what).", hint: hint)))
        return say(code, what)
    }

    /// Has lws send a close frame as it closes. -1 for the callback to return.
    private func say(_ code: CloseCode, _ reason: String) -> Int32 {
        closure = Closure(code: code, byPeer: false)
        var bytes = Array(reason.utf8.prefix(120))
        lws_close_reason(wsi, lws_close_status(UInt32(code.rawValue)), &bytes, bytes.count)
        return -1
    }

    private var slowReader: Refusal {
        let limits = service.configuration.limits.outbox
        return Refusal(
            code: .slowReader,
            text:
                "A \(handshake.role.rawValue) connection left \(limits.messages) messages or \(limits.bytes) bytes unread, and was closed with 1013.",
            hint: "A page that is stopped in a debugger or frozen does this; it attaches again by itself.")
    }
}
