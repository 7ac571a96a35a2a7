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
            closesAfterResponse = (request.headers.bodyLength ?? 0) > 0
            deliver(request)
            return 0
        }
        let length = request.headers.bodyLength ?? 0
        guard length <= configuration.limits.messageBytes else {
            readsRefusedBody = true
            return refuse(tooLarge(request.path, length))
        }
        pendingRequest = (request, .now)
        return 0
    }

    /// Handles a piece of a request's body.
    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let received = pendingRequest?.request.body.count else { return 0 }
        if let refusal = refusal(ofBodyWith: received + bytes.count) {
            pendingRequest = nil
            readsRefusedBody = true
            countMemory()
            return refuse(refusal)
        }
        pendingRequest?.request.body.append(contentsOf: bytes)
        countMemory()
        return 0
    }

    private func refusal(ofBodyWith length: Int) -> Refusal? {
        guard let (request, since) = pendingRequest else { return nil }
        // libwebsockets restarts its own timeout with each piece.
        if isLate(since: since) { return tooSlow }
        return length > configuration.limits.messageBytes ? tooLarge(request.path, length) : nil
    }

    func bodyCompleted() -> Int32 {
        guard let request = pendingRequest?.request else { return isLingering ? -1 : 0 }
        pendingRequest = nil
        countMemory()
        deliver(request)
        return 0
    }

    private func deliver(_ request: HTTPRequest) {
        guard let wsi else { return }
        // The request is complete, so its timeout ends here: the response may take any time.
        lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
        owesResponse = true
        awaitResponse()
        loop.deliver(.requested(request, HTTPResponder(id: id, loop: loop)))
    }

    /// Answers with the refusal, records it, and closes the connection: a body that is still arriving would be read as
    /// the next request.
    private func refuse(_ refusal: Refusal) -> Int32 {
        loop.deliver(.refused(refusal.from(address)))
        closesAfterResponse = true
        if !readsRefusedBody { awaitResponse() }
        respond(.refusal(refusal))
        return 0
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
