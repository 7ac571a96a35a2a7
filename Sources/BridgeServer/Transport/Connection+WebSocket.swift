import BridgeProtocol
import BridgeTraffic
internal import CWebsockets

/// The WebSocket side of a connection (RFC 6455): handles the handshake, receives text messages, sends batches, and
/// closes the connection.
extension Connection {
    // MARK: Handshake

    /// Accepts an upgrade, or sends a response with the reason for the refusal. The header fields cannot be read after
    /// this.
    func confirmUpgrade(to name: UnsafeMutableRawPointer?) -> Int32 {
        let headers = readHeaders()
        let upgrade = name.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
        let path = header(WSI_TOKEN_GET_URI) ?? ""
        if let refusal = configuration.access.refusal(ofUpgrade: upgrade, path: path, headers) {
            loop.deliver(.refused(refusal.from(address)))
            var response = HTTPResponse.refusal(refusal).serialized(
                headroom: EventLoop.headroom, withBody: true, closes: true)
            // A positive value tells libwebsockets that the response has been written.
            return write(&response, LWS_WRITE_HTTP) ? 1 : -1
        }
        role = ConnectionRole(path: path) ?? .page
        sender = PageSender(headers, configuration.access)
        sender.address = address.text
        return 0
    }

    func established() {
        let channel = Channel(id: id, role: role, sender: sender, transport: loop, limits: configuration.limits.outbox)
        phase = .open(channel)
        loop.deliver(.opened(channel))
        // The server may have stopped between two requests of this connection.
        if forgetEnd() { close(.goingAway, "the daemon stops") }
    }

    // MARK: Receiving

    /// Handles a piece of a message: a fragment, or a part of one that is longer than libwebsockets' buffer.
    func received(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let wsi else { return -1 }
        // Messages that arrive while the connection is being closed are ignored, and so is what follows the peer's close
        // frame (RFC 6455, section 1.4).
        guard let channel = phase.channel else { return isClosing ? 0 : -1 }
        guard !closure.byPeer else { return 0 }
        liveness.received()
        #if !BRIDGED_ECHO
            if lws_frame_is_binary(wsi) != 0 {
                return fail(
                    .binaryMessage, .unsupportedData, "binary message", "The wire protocol is JSON in text messages.")
            }
        #endif
        let limit = configuration.limits.messageBytes
        let size = incoming.size(with: bytes.count, announced: lws_remaining_packet_payload(wsi))
        guard size <= limit else {
            return fail(
                .messageTooBig, .messageTooBig, "message of \(size) bytes or more, over the limit of \(limit)",
                "Send less at a time, or start the daemon with a higher \(setting("max-message-bytes", "limits.messageBytes"))."
            )
        }
        let isFirst = incoming.since == nil
        let isComplete = lws_is_final_fragment(wsi) != 0
        if isFirst, isComplete { return deliver(bytes, to: channel) }
        if isFirst { setTimer(incomingTime) }
        incoming.append(bytes)
        guard isComplete else {
            countMemory()
            return 0
        }
        let message = incoming.take()
        countMemory()
        return message.withUnsafeBytes { deliver($0, to: channel) }
    }

    /// Stops reading, or goes on. Between two pauses something is read, so that the peer does not seem silent. A pause also
    /// ends while the connection is being closed, so that the peer's close frame arrives.
    func setReading(_ isReading: Bool) {
        if let wsi { lws_rx_flow_control(wsi, isReading ? 1 : 0) }
    }

    /// Parses and delivers a complete message. Parsing checks UTF-8 as well, so libwebsockets need not.
    private func deliver(_ bytes: UnsafeRawBufferPointer, to channel: Channel) -> Int32 {
        #if BRIDGED_ECHO
            return echo(bytes, to: channel)
        #else
            return deliverJSON(bytes, to: channel)
        #endif
    }

    private func deliverJSON(_ bytes: UnsafeRawBufferPointer, to channel: Channel) -> Int32 {
        do throws(JSONParseError) {
            try JSON.check(bytes, configuration.limits.json)
            switch channel.role {
            case .page: loop.deliver(.received(channel, .success(try PageFrame(bytes))))
            case .control: loop.deliver(.called(channel, .success(try JSON.parse(bytes))))
            }
        } catch {
            // The mistake may be before the first byte that is not UTF-8, which closes the connection in any case.
            guard error.cause != .invalidUTF8, bytes.isUTF8 else {
                return refuseInvalidUTF8(error)
            }
            loop.deliver(
                channel.role == .page ? .received(channel, .failure(error)) : .called(channel, .failure(error)))
        }
        return 0
    }

    func refuseInvalidUTF8(_ error: JSONParseError) -> Int32 {
        fail(
            .invalidUTF8, .invalidPayload, "text message that is not UTF-8: \(error)",
            "RFC 6455 requires UTF-8 in text messages.")
    }

    // MARK: Sending

    /// Writes batches until the socket is full, and closes the connection after the last one if `close` was called.
    /// Called when the socket is writable.
    func writeMessages() -> Int32 {
        if case .closed = phase { return -1 }
        if liveness.takePing() {
            // The ping has a payload because libwebsockets does not report an empty pong.
            var frame = [UInt8](repeating: 0, count: EventLoop.headroom) + Array("alive?".utf8)
            guard write(&frame, LWS_WRITE_PING) else { return -1 }
        }
        guard writeBatches() else { return -1 }
        if phase.channel?.hasWaiting == true {
            requestWrite()
        } else if case .closing(_, let close) = phase {
            // While libwebsockets buffers a part of a message, it would send that part, but no close frame after it.
            unsentBytes > 0 ? requestWrite() : send(close)
        }
        return 0
    }

    /// Sends the close frame. Called when the socket is writable, and libwebsockets buffers no part of a message.
    private func send(_ close: ConnectionPhase.Close) {
        closure = Closure(code: close.code, byPeer: false)
        // libwebsockets itself limits the wait for the peer's close frame.
        phase.setChecksLeft(0)
        var bytes = Array(close.reason.utf8.prefix(120))
        lws_close_reason(wsi, lws_close_status(UInt32(close.code.rawValue)), &bytes, bytes.count)
        // In its libuv loop, Debian's libwebsockets closes a connection twice if this callback returns -1, and the
        // second time without the close frame. This closes it once, and waits for the peer's close frame.
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
    }

    /// Writes the queued messages, or the response, outside of a callback.
    func writeNow() {
        switch phase {
        case .open(let channel):
            guard writeBatches() else { return end(within: 0) }
            guard channel.hasWaiting else { return }
            requestWrite()
            if channel.isOverfull { dropSlowReader() }
        // Only a callback can close the connection.
        case .closing(.some, _): requestWrite()
        case .responding(let response): write(response)
        default: break
        }
    }

    /// Writes batches until the socket is full. Returns false if the connection is broken.
    ///
    /// libwebsockets must get no more data while it buffers some, or `lws_write` returns less than it has got, as if the
    /// connection were broken. Another thread may append a message at any time, so after each batch that was the last
    /// one this ends: whoever appends to an empty outbox asks for a write.
    private func writeBatches() -> Bool {
        guard let wsi else { return false }
        guard lws_partial_buffered(wsi) == 0 else { return true }
        liveness.wrote()
        var size = 0
        let channel = phase.channel
        while let channel, let batch = channel.nextBatch() {
            size = batch.size
            guard batch.send({ write($0, from: $1, LWS_WRITE_TEXT) }) else { return false }
            // `lws_send_pipe_choked` makes a system call, so it is called only if more messages wait.
            guard channel.hasWaiting, lws_send_pipe_choked(wsi) == 0 else { break }
        }
        let unsent = lws_partial_buffered(wsi) == 0 ? 0 : size
        if unsent != unsentBytes {
            unsentBytes = unsent
            countMemory()
            // Then this is called again when libwebsockets buffers nothing any more.
            if unsent > 0 { requestWrite() }
        }
        return true
    }

    // MARK: Liveness

    /// Pings a silent peer, and ends the connection if the peer stays silent (RFC 6455, section 5.5.2). See `Liveness`.
    func checkLiveness() {
        guard wsi != nil, let channel = phase.channel else { return }
        let finding = liveness.check(hasWaiting: channel.hasWaiting || unsentBytes > 0)
        if liveness.isBlocked, channel.hasTooManyMessages { return dropSlowReader() }
        switch finding {
        case .alive: break
        case .stuck: dropStuckReader()
        case .silent: requestWrite()
        case .broken:
            // The end is reported now: if the peer does not answer, libwebsockets closes the connection only later.
            closed()
            end(within: 0)
        }
    }

    // MARK: Closing

    /// Closes the connection after all waiting messages have been written, or after `seconds`; see `checkClose`.
    func close(_ code: CloseCode, _ reason: String, within seconds: Int32 = 10) {
        guard wsi != nil, !isClosing else { return }
        guard case .open(let channel) = phase else {
            end(within: seconds)
            // A stream is ended at the end of the round, as other writes are.
            return writeAfterRound()
        }
        phase = .closing(channel, .init(code: code, reason: reason, checksLeft: seconds > 0 ? 2 : 0))
        if seconds > 0 { setTimer(.seconds(seconds)) } else { end(within: 0) }
        requestWrite()
    }

    /// Ends a connection that could not be closed in time.
    ///
    /// If the machine was too busy to give this thread a turn, the close frame has not been written although the peer
    /// reads. The loop runs its timers before it writes, so the connection gets one more second, once: otherwise the
    /// peer would not learn the reason.
    func checkClose(_ close: ConnectionPhase.Close) {
        let isExtended = close.checksLeft > 1 && socket?.isWritable == true
        phase.setChecksLeft(isExtended ? close.checksLeft - 1 : 0)
        isExtended ? setTimer(.seconds(1)) : end(within: 0)
    }

    /// Closes a connection whose peer does not read, and drops the waiting messages. A page that attaches again
    /// receives what it has missed. The server learns of the end now, the peer when it reads again.
    private func dropSlowReader() {
        let limits = configuration.limits.outbox
        giveUp(
            slowReader("left \(limits.messages) messages or \(limits.bytes) bytes unread"),
            reason: "too much is waiting to be read")
    }

    /// Closes a connection whose peer sends, but reads nothing of what waits for it.
    private func dropStuckReader() {
        let seconds = configuration.limits.pongTimeout.inMilliseconds
        giveUp(slowReader("read nothing for \(seconds)"), reason: "nothing was read for too long")
    }

    private func slowReader(_ what: String) -> Refusal {
        Refusal(
            code: .slowReader, text: "A \(role.rawValue) connection \(what), and was closed with 1013.",
            hint: "A page that is frozen or stopped in a debugger does this; it attaches again by itself.")
    }

    private var incomingTime: Duration { .seconds(configuration.limits.handshakeSeconds) }

    /// Closes the connection if its message has not arrived completely in time.
    func checkIncoming() {
        guard let since = incoming.since else { return }
        let left = incomingTime - (.now - since)
        guard left <= .zero else { return setTimer(left) }
        // The daemon itself was busy, and has not read yet what has arrived.
        if socket?.hasUnreadBytes == true { return setTimer(.milliseconds(100)) }
        let refusal = Refusal(
            code: .requestTimeout,
            text:
                "A \(role.rawValue) connection had not sent its whole message after \(incomingTime.inMilliseconds), and was closed with 1013.",
            hint:
                "Send less at a time, or start the daemon with a longer \(setting("handshake-timeout", "limits.handshakeTimeout"))."
        )
        giveUp(refusal, reason: "a message was not complete in time")
    }

    /// Ends the connection with 1013, so that a page may attach again. The server learns of the end now, and the peer
    /// when it reads again, or after `seconds`.
    func giveUp(_ refusal: Refusal, reason: String, within seconds: Int32 = 30) {
        guard case .open = phase else { return }
        refuse(refusal, .tryAgainLater, reason, within: seconds)
    }

    /// Records that a message cannot be accepted, and closes the connection. What it still sends is ignored.
    private func fail(_ code: ProblemCode, _ closeCode: CloseCode, _ what: String, _ hint: String) -> Int32 {
        let text = "A \(role.rawValue) connection sent a \(what)."
        if phase.channel != nil { refuse(Refusal(code: code, text: text, hint: hint), closeCode, what, within: 10) }
        return 0
    }

    /// Records a refusal and closes the connection. The server learns of the end now, and the peer when it reads, or
    /// after `seconds`.
    private func refuse(_ refusal: Refusal, _ code: CloseCode, _ reason: String, within seconds: Int32) {
        loop.deliver(.refused(refusal.from(address)))
        close(code, reason, within: seconds)
        closure = Closure(code: code, byPeer: false)
        closed()
        incoming = IncomingMessage()
        countMemory()
    }

    /// Handles the peer's close frame, whose first two bytes are the status code (RFC 6455, section 5.5.1).
    func peerCloses(_ payload: UnsafeRawBufferPointer) {
        let code = payload.count >= 2 ? CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1])) : nil
        closure = Closure(code: code, byPeer: true)
    }

    /// Reports the end of the connection, once.
    func closed() {
        guard let channel = phase.end() else { return }
        channel.discard()
        loop.deliver(.closed(channel, closure))
    }
}
