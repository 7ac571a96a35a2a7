import BridgeProtocol
import BridgeTraffic
internal import CWebsockets
import Foundation

/// The HTTP side of a connection: receives requests and writes one response at a time.
extension Connection {
    // MARK: Requests

    /// Handles a request's header. The body of a POST follows.
    func requestArrived() -> Int32 {
        let request = readRequest()
        let access = configuration.access
        if let refusal = access.refusal(ofRequest: request.headers) ?? access.refusal(ofBodyOf: request) {
            return refuse(refusal)
        }
        guard request.method == .post else {
            // A body would be read as the next request.
            afterResponse = (request.headers.bodyLength ?? 0) > 0 ? .close : .nextRequest
            deliver(request)
            return 0
        }
        let length = request.headers.bodyLength ?? 0
        guard length <= configuration.limits.messageBytes else {
            return refuse(tooLarge(request.path, length), then: .restOfBody)
        }
        phase = .receiving(request, since: .now)
        return 0
    }

    /// Handles a piece of a request's body.
    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard case .receiving(let request, let since) = phase else { return 0 }
        let length = incoming.bytes.count + bytes.count
        // libwebsockets restarts its own timeout with each piece.
        let isLate = isLate(since: since)
        guard !isLate, length <= configuration.limits.messageBytes else {
            incoming = IncomingMessage()
            return refuse(isLate ? tooSlow : tooLarge(request.path, length), then: .restOfBody)
        }
        incoming.append(bytes)
        countMemory()
        return 0
    }

    func bodyCompleted() -> Int32 {
        if case .lingering = phase { return -1 }
        guard case .receiving(var request, _) = phase else { return 0 }
        request.body = incoming.take()
        deliver(request)
        return 0
    }

    private func deliver(_ request: HTTPRequest) {
        guard let wsi else { return }
        // The request is complete, so its timeout ends here: the response may take any time.
        lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
        phase = .answering
        countMemory()
        awaitResponse()
        loop.deliver(.requested(request, HTTPResponder(id: id, loop: loop)))
    }

    /// Answers with the refusal, records it, and closes the connection: a body that is still arriving would be read as
    /// the next request.
    private func refuse(_ refusal: Refusal, then next: AfterResponse = .close) -> Int32 {
        loop.deliver(.refused(refusal.from(address)))
        (phase, afterResponse) = (.answering, next)
        if next == .close { awaitResponse() }
        respond(.refusal(refusal))
        return 0
    }

    // MARK: Unfinished requests

    /// Records why libwebsockets closes the connection before it has delivered a request: the client is too slow, its
    /// header is too large, or it does not speak HTTP. libwebsockets sends no response to these.
    func reportUnfinishedRequest() {
        if case .receiving(_, let since) = phase {
            if isLate(since: since) { loop.deliver(.refused(tooSlow.from(address))) }
        } else if !hasSentRequest, hasSentPartOfRequest {
            loop.deliver(.refused((isLate(since: acceptedAt) ? tooSlow : malformed).from(address)))
        }
    }

    /// Whether the client has sent more than browsers send on a connection that they open in advance and never use.
    private var hasSentPartOfRequest: Bool {
        // The kernel counts the end of the stream as one byte.
        var unusedBytes: UInt64 = 1
        if let tls {
            // `destroyed` reports a failed handshake.
            guard let handshakeBytes = tls.bytesWhenDone else { return false }
            // The longest common record of a `close_notify` alert: TLS 1.2 with AES-GCM.
            unusedBytes += handshakeBytes + 31
        }
        return (socket?.receivedBytes ?? 0) > unusedBytes
    }

    private func isLate(since start: ContinuousClock.Instant) -> Bool {
        ContinuousClock.now - start >= .seconds(configuration.limits.handshakeSeconds)
    }

    private var tooSlow: Refusal {
        let seconds = configuration.limits.handshakeSeconds
        return Refusal(
            code: .requestTimeout,
            text: "A client at \(address.text) had not sent its whole request after \(seconds) s.",
            hint:
                "Send the request in one go, or start the daemon with a longer \(setting("handshake-timeout", "limits.handshakeTimeout"))."
        )
    }

    private var malformed: Refusal {
        Refusal(
            code: .malformedRequest,
            text:
                "A client at \(address.text) sent something that is not an HTTP/1.1 request, or a request whose header "
                + "is larger than \(configuration.limits.headerBytes) bytes.",
            hint:
                "Use the daemon's address exactly as it is printed, with http or https. If cookies make the header too "
                + "large, delete them or raise \(setting("max-header-bytes", "limits.headerBytes")).")
    }

    private func tooLarge(_ path: String, _ length: Int) -> Refusal {
        Refusal(
            code: .bodyTooLarge,
            text: "A POST of \(length) bytes to \(path.forText) is larger than the limit of "
                + "\(configuration.limits.messageBytes) bytes.",
            hint: "Send less, or start the daemon with a higher \(setting("max-message-bytes", "limits.messageBytes"))."
        )
    }
}

/// Reads a request's header. libwebsockets has the header only while it receives the request.
extension Connection {
    func readRequest() -> HTTPRequest {
        var query: [String] = []
        while let part = queryPart(query.count), query.count < 64 { query.append(part) }
        var text: UnsafeMutablePointer<CChar>?
        var length: Int32 = 0
        let method = lws_http_get_uri_and_method(wsi, &text, &length)
        let path = UnsafeRawBufferPointer(start: text, count: max(0, Int(length)))
        return HTTPRequest(
            method: Connection.method(method), path: String(decoding: path, as: UTF8.self), query: query,
            headers: readHeaders())
    }

    /// The header fields that the daemon looks at.
    func readHeaders() -> RequestHeaders {
        RequestHeaders(
            host: header(WSI_TOKEN_HOST), origin: header(WSI_TOKEN_ORIGIN),
            userAgent: header(WSI_TOKEN_HTTP_USER_AGENT), contentType: header(WSI_TOKEN_HTTP_CONTENT_TYPE),
            contentLength: header(WSI_TOKEN_HTTP_CONTENT_LENGTH), authorization: header(WSI_TOKEN_HTTP_AUTHORIZATION),
            subprotocols: header(WSI_TOKEN_PROTOCOL), transferEncoding: header(WSI_TOKEN_HTTP_TRANSFER_ENCODING),
            webSocketVersion: header(WSI_TOKEN_VERSION), referer: header(WSI_TOKEN_HTTP_REFERER),
            accept: header(WSI_TOKEN_HTTP_ACCEPT), ifNoneMatch: header(WSI_TOKEN_HTTP_IF_NONE_MATCH),
            fetchSite: header("sec-fetch-site:"), fetchMode: header("sec-fetch-mode:"))
    }

    func header(_ token: lws_token_indexes) -> String? {
        text(ofLength: lws_hdr_total_length(wsi, token)) { lws_hdr_copy(wsi, $0, $1, token) }
    }

    /// Reads a field that libwebsockets has no token for.
    /// - Parameter name: in lower case, with its colon.
    private func header(_ name: String) -> String? {
        let nameLength = Int32(name.utf8.count)
        return text(ofLength: lws_hdr_custom_length(wsi, name, nameLength)) {
            lws_hdr_custom_copy(wsi, $0, $1, name, nameLength)
        }
    }

    /// Returns one part of the query, which libwebsockets splits at each `&`.
    private func queryPart(_ index: Int) -> String? {
        let index = Int32(index)
        return text(ofLength: lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, index)) {
            lws_hdr_copy_fragment(wsi, $0, $1, WSI_TOKEN_HTTP_URI_ARGS, index)
        }
    }

    /// - Parameter copy: copies the text and a NUL into a buffer of the given size, and returns the length of the text.
    private func text(ofLength length: Int32, _ copy: (UnsafeMutablePointer<CChar>?, Int32) -> Int32) -> String? {
        guard wsi != nil, length > 0 else { return nil }
        return String(unsafeUninitializedCapacity: Int(length) + 1) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { max(0, Int(copy($0.baseAddress, length + 1))) }
        }
    }

    private static func method(_ number: Int32) -> HTTPRequest.Method {
        switch number {
        case Int32(LWSHUMETH_GET): .get
        case Int32(LWSHUMETH_HEAD): .head
        case Int32(LWSHUMETH_POST): .post
        case Int32(LWSHUMETH_OPTIONS): .options
        default: .other
        }
    }
}

/// Writes responses, one at a time and in parts.
///
/// From a request to the end of its response, nothing is read: libwebsockets would wake up for further requests again
/// and again. In this state it does not report either that the socket can be written, or that the client has left. So
/// the parts are written at the end of a round, and a timer asks the kernel.
///
/// If libwebsockets 4.1 has read a further request together with the first one and that request has a body, it never
/// returns. So the connection of a client that does not wait for its response may be closed after that response, which
/// RFC 9112, section 9.3.2, allows.
extension Connection {
    /// The time between two checks of a client that waits for a response, or that does not read one.
    private static let checkInterval = Duration.milliseconds(200)
    /// How long the daemon still reads the body of a refused request. A connection that is closed with unread bytes is
    /// reset, and the client may lose the refusal.
    private static let lingeringTime = Duration.seconds(1)

    func respond(_ response: HTTPResponse) {
        let isHead = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0
        let closes = afterResponse != .nextRequest
        begin(OutgoingResponse(response.serialized(headroom: EventLoop.headroom, withBody: !isHead, closes: closes)))
    }

    /// Begins a response of unknown length. Its chunks let the client know whether it got all of it. With HTTP/1.0, which
    /// has none, the response ends when the connection does (RFC 9112, section 6.3).
    func respond(contentType: String, _ stream: HTTPStream) {
        let isChunked = header(WSI_TOKEN_HTTP) != "HTTP/1.0"
        let head = HTTPResponse(contentType: contentType).serializedHead(
            headroom: EventLoop.headroom, isChunked: isChunked)
        begin(OutgoingResponse(head, then: stream, isChunked: isChunked))
    }

    private func begin(_ response: OutgoingResponse) {
        guard case .answering = phase else { return }
        phase = .responding(response)
        countMemory()
        writeAfterRound()
    }

    /// Writes parts of the response until the socket is full, or until the round has written enough. Called outside of
    /// libwebsockets' callbacks.
    func write(_ response: OutgoingResponse) {
        guard let wsi else { return }
        // libwebsockets also reports a full socket while it buffers a rest of the latest part.
        while lws_send_pipe_choked(wsi) == 0 {
            guard hasPart(of: response) else { return partsEnded(wsi, response.stream) }
            guard context.hasRoomForResponses else { return writeAfterRound() }
            guard response.writePart(writePart) else { return end(within: 0) }
        }
        setTimer(response.block())
    }

    private func writePart(_ buffer: UnsafeMutableRawBufferPointer, from start: Int) -> Bool {
        context.wroteResponse(buffer.count - start)
        return write(buffer, from: start, LWS_WRITE_HTTP)
    }

    /// Returns whether a part of the response, or of the stream, is left to write.
    private func hasPart(of response: OutgoingResponse) -> Bool {
        defer { countMemory() }
        return response.hasPart(endsStream: isClosing)
    }

    private func partsEnded(_ wsi: OpaquePointer, _ stream: HTTPStream?) {
        if let stream {
            if isClosing || stream.isFinished { end(within: 0) } else { setTimer(Connection.checkInterval) }
            return
        }
        phase = .idle
        switch afterResponse {
        case .nextRequest: readNextRequest(wsi)
        case .close: end(within: 0)
        case .restOfBody: linger()
        }
    }

    /// Reads the next request, or closes the connection of a client that has sent it without waiting for the response.
    private func readNextRequest(_ wsi: OpaquePointer) {
        lws_rx_flow_control(wsi, 1)
        if context.hasBufferedInput {
            // Handling what it has buffered, libwebsockets would cancel the timeout that closes the connection.
            lws_rx_flow_control(wsi, 0)
            end(within: 0)
        } else if lws_http_transaction_completed(wsi) != 0 {
            end(within: 0)
        }
    }

    /// Closes the connection after the rest of a body that was refused.
    private func linger() {
        guard let socket else { return }
        phase = .lingering
        shutdown(socket.descriptor, Int32(SHUT_WR))
        setTimer(Connection.lingeringTime)
    }

    // MARK: Waiting

    /// Stops reading until the response is written, and checks meanwhile whether the client is still there.
    private func awaitResponse() {
        guard let wsi else { return }
        lws_rx_flow_control(wsi, 0)
        setTimer(Connection.checkInterval)
    }

    /// Goes on writing if the client reads again. Returns -1, which closes the connection, if the client does not read
    /// its response for too long, or has left before it was answered or during a stream.
    func checkClient() -> Int32 {
        guard let wsi, let socket else { return -1 }
        let waits: Bool
        switch phase {
        case .lingering: return -1
        case .answering: waits = true
        case .responding(let response): waits = response.stream != nil
        default: return 0
        }
        if waits, socket.peerHasHungUp { return -1 }
        guard let response = phase.response, response.isBlocked else {
            if waits { setTimer(Connection.checkInterval) }
            return 0
        }
        if socket.isWritable {
            // Only a further part makes libwebsockets write the rest of the latest one.
            if lws_partial_buffered(wsi) != 0, !hasPart(of: response) { return -1 }
        } else if response.stream == nil, .now - response.lastWrite >= configuration.limits.pongTimeout {
            loop.deliver(.refused(doesNotRead.from(address)))
            return -1
        }
        writeAfterRound()
        return 0
    }

    private var doesNotRead: Refusal {
        let time = configuration.limits.pongTimeout.inMilliseconds
        return Refusal(
            code: .slowReader,
            text: "A client at \(address.text) read nothing of a response for \(time), and was disconnected.",
            hint: "Read each response before the next request.")
    }
}
