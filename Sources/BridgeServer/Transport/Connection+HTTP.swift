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
            deliver(request)
            return 0
        }
        let length = request.headers.bodyLength ?? 0
        guard length <= configuration.limits.messageBytes else { return refuse(tooLarge(request.path, length)) }
        pendingRequest = (request, .now)
        return 0
    }

    /// Handles a piece of a request's body.
    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let received = pendingRequest?.request.body.count else { return 0 }
        if let refusal = refusal(ofBodyWith: received + bytes.count) {
            pendingRequest = nil
            return refuse(refusal)
        }
        pendingRequest?.request.body.append(contentsOf: bytes)
        return 0
    }

    private func refusal(ofBodyWith length: Int) -> Refusal? {
        guard let (request, since) = pendingRequest else { return nil }
        // libwebsockets restarts its own timeout with each piece.
        if isLate(since: since) { return tooSlow }
        return length > configuration.limits.messageBytes ? tooLarge(request.path, length) : nil
    }

    func bodyCompleted() -> Int32 {
        guard let request = pendingRequest?.request else { return 0 }
        pendingRequest = nil
        deliver(request)
        return 0
    }

    private func deliver(_ request: HTTPRequest) {
        // The request is complete, so its timeout ends here: the response may take any time.
        if let wsi { lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0) }
        owesResponse = true
        loop.deliver(.requested(request, HTTPResponder(id: id, loop: loop)))
    }

    /// Answers with the refusal, records it, and closes the connection: a body that is still arriving would be read as
    /// the next request.
    private func refuse(_ refusal: Refusal) -> Int32 {
        loop.deliver(.refused(refusal.from(address)))
        closesAfterResponse = true
        respond(.refusal(refusal))
        return 0
    }

    // MARK: Responses

    func respond(_ response: HTTPResponse) {
        guard channel == nil else { return }
        owesResponse = false
        let isHead = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0
        self.response = response.serialized(
            headroom: EventLoop.headroom, withBody: !isHead, closes: closesAfterResponse)
        requestWrite()
    }

    /// Begins a response that ends when the connection does (RFC 9112, section 6.3).
    func respond(contentType: String, _ stream: HTTPStream) {
        self.stream = stream
        owesResponse = false
        response = HTTPResponse(contentType: contentType).serializedHead(headroom: EventLoop.headroom)
        requestWrite()
    }

    /// Closes a streamed response whose client has left.
    ///
    /// libwebsockets reads nothing until a response is complete, so it does not notice a client that hangs up, and the
    /// unread end of the stream would wake the loop forever. `HTTPStream` calls this five times a second.
    func closeIfHungUp() {
        guard stream != nil, socket?.peerHasHungUp ?? true else { return }
        streamClientHasLeft = true
        requestWrite()
    }

    /// Writes the whole response, or the next bytes of a stream. Called when the socket is writable. libwebsockets
    /// keeps the bytes that the kernel does not take.
    func writeResponse() -> Int32 {
        guard let wsi else { return 0 }
        guard !streamClientHasLeft else { return -1 }
        guard var response else { return stream.map(write) ?? 0 }
        self.response = nil
        if stream != nil {
            requestWrite()
            return write(&response, LWS_WRITE_HTTP) ? 0 : -1
        }
        guard write(&response, LWS_WRITE_HTTP), !closesAfterResponse else { return -1 }
        return lws_http_transaction_completed(wsi) == 0 ? 0 : -1
    }

    private func write(_ stream: HTTPStream) -> Int32 {
        guard var bytes = stream.next(headroom: EventLoop.headroom) else {
            return pendingClose != nil ? -1 : 0
        }
        requestWrite()
        return write(&bytes, LWS_WRITE_HTTP) ? 0 : -1
    }

    // MARK: Unfinished requests

    /// Records why libwebsockets closes the connection before it has delivered a request: the client is too slow, its
    /// header is too large, or it does not speak HTTP. libwebsockets sends no response to these.
    func reportUnfinishedRequest() {
        if let since = pendingRequest?.since {
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
            hint: "Send the request in one go, or start the daemon with a longer --handshake-timeout.")
    }

    private var malformed: Refusal {
        Refusal(
            code: .malformedRequest,
            text:
                "A client at \(address.text) sent something that is not an HTTP/1.1 request, or a request whose header "
                + "is larger than \(configuration.limits.headerBytes) bytes.",
            hint:
                "Use the daemon's address exactly as it is printed, with http or https. If cookies make the header too "
                + "large, delete them or raise --max-header-bytes.")
    }

    private func tooLarge(_ path: String, _ length: Int) -> Refusal {
        Refusal(
            code: .bodyTooLarge,
            text: "A POST of \(length) bytes to \(path.forText) is larger than the limit of "
                + "\(configuration.limits.messageBytes) bytes.",
            hint: "Send less, or start the daemon with a higher --max-message-bytes.")
    }
}
