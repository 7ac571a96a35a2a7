import BridgeTraffic
internal import CWebsockets
import Foundation

/// HTTP on a connection: requests in, one response at a time out.
extension Connection {
    /// A request's header has arrived, and perhaps a body comes.
    func requestArrived() -> Int32 {
        let request = readRequest()
        let access = service.configuration.access
        if let refusal = access.refusal(ofRequest: request.headers) ?? access.refusal(ofBodyOf: request) {
            return refuse(refusal)
        }
        guard request.method == .post else {
            hand(over: request)
            return 0
        }
        let length = request.headers.bodyLength ?? 0
        guard length <= service.configuration.limits.messageBytes else { return refuse(tooLarge(request.path, length)) }
        self.request = request
        requestedAt = .now
        return 0
    }

    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let request else { return 0 }
        // lws begins to count anew with each piece.
        guard !isLate(since: requestedAt) else {
            self.request = nil
            return refuse(tooSlow)
        }
        guard request.body.count + bytes.count <= service.configuration.limits.messageBytes else {
            self.request = nil
            return refuse(tooLarge(request.path, request.body.count + bytes.count))
        }
        self.request?.body.append(contentsOf: bytes)
        return 0
    }

    func bodyCompleted() -> Int32 {
        guard let request else { return 0 }
        self.request = nil
        hand(over: request)
        return 0
    }

    func respond(_ response: HTTPResponse) {
        guard channel == nil else { return }
        owesResponse = false
        self.response = response.serialized(
            headroom: EventLoop.headroom, withBody: !isHead, closes: closesAfterResponse)
        requestWrite()
    }

    /// The end of the connection is the end of the response (RFC 9112, 6.3).
    func respond(contentType: String, _ stream: HTTPStream) {
        self.stream = stream
        owesResponse = false
        response = HTTPResponse(contentType: contentType).serializedHead(headroom: EventLoop.headroom)
        requestWrite()
    }

    /// lws reads nothing until a response is complete: a client that hangs up would wake the loop for ever, unseen. So a
    /// stream has this asked now and then.
    func closeIfHungUp() {
        guard stream != nil, peerHasHungUp else { return }
        hasHungUp = true
        requestWrite()
    }

    private var peerHasHungUp: Bool {
        guard let wsi else { return true }
        #if os(Linux)
            // POLLRDHUP, which Glibc's module lacks. TLS says good-bye before it hangs up, so there is something to read.
            let hangUp: Int16 = 0x2000
        #else
            let hangUp = Int16(POLLHUP)
        #endif
        var entry = pollfd(fd: lws_get_socket_fd(wsi), events: hangUp, revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// The socket takes data: the response goes out in one write. What the kernel doesn't take at once lws keeps and
    /// sends.
    func writeResponse() -> Int32 {
        guard let wsi else { return 0 }
        guard !hasHungUp else { return -1 }
        guard var response else { return stream.map(write) ?? 0 }
        self.response = nil
        if stream != nil {
            requestWrite()
            return write(&response, from: EventLoop.headroom, LWS_WRITE_HTTP) ? 0 : -1
        }
        guard write(&response, from: EventLoop.headroom, LWS_WRITE_HTTP), !closesAfterResponse else { return -1 }
        return lws_http_transaction_completed(wsi) == 0 ? 0 : -1
    }

    private func write(_ stream: HTTPStream) -> Int32 {
        guard var bytes = stream.next(headroom: EventLoop.headroom) else {
            return stream.isEnded || pendingClose != nil ? -1 : 0
        }
        requestWrite()
        return write(&bytes, from: EventLoop.headroom, LWS_WRITE_HTTP) ? 0 : -1
    }

    /// Answers with the refusal, and records it. The connection ends with it: a body that still comes would be read
    /// as the next request.
    private func refuse(_ refusal: Refusal) -> Int32 {
        service.deliver(.refused(refusal))
        closesAfterResponse = true
        respond(.refusal(refusal))
        return 0
    }

    /// lws hangs up without a word: on who is too slow, whose header is too large, and whose request is none.
    func closedBeforeItsEnd() {
        if request != nil {
            if isLate(since: requestedAt) { service.deliver(.refused(tooSlow)) }
        } else if !hasAsked, hasReceivedBytes, tls.map(isCutShort) ?? true {
            service.deliver(.refused(isLate(since: acceptedAt) ? tooSlow : malformed))
        }
    }

    /// Over TLS bytes come before there is a request, and browsers keep connections that they may never use: neither their
    /// own end nor that of one which has just waited is told of.
    private func isCutShort(_ tls: TLSHandshake) -> Bool {
        guard let bytes = tls.bytesWhenDone, !(tls.isEndedByPeer ?? hasOnlyHungUp(tls)) else { return false }
        return !isLate(since: acceptedAt) || receivedBytes > bytes
    }

    func heard(_ event: TLSHandshake.Event) {
        guard let tls, hasReceivedBytes else { return }
        // Who hangs up without a word is answered with a good-bye.
        let isAnswer = event == .goodbye(byPeer: false) && hasOnlyHungUp(tls)
        self.tls?.take(isAnswer ? .goodbye(byPeer: true) : event, bytes: readBytes)
    }

    /// Whether nothing came after the handshake but the end. A client that has heard our good-bye may have hung up as well
    /// by the time that OpenSSL tells of it, and what came of it before then was more.
    private func hasOnlyHungUp(_ tls: TLSHandshake) -> Bool {
        // A TLS 1.2 record of an alert, and the end.
        let longestGoodbye: UInt64 = 31 + 1
        return peerHasHungUp && receivedBytes <= (tls.bytesWhenDone ?? 0) + longestGoodbye
    }

    private func isLate(since start: ContinuousClock.Instant) -> Bool {
        ContinuousClock.now - start >= .seconds(service.configuration.limits.handshakeSeconds)
    }

    /// Whether the client has sent anything. Browsers open connections that they may never use.
    private var hasReceivedBytes: Bool { receivedBytes > 1 }

    /// How much has come, by the kernel, which counts the end as one byte.
    private var receivedBytes: UInt64 {
        #if os(Linux)
            guard let wsi else { return 0 }
            // struct tcp_info of linux/tcp.h, whose glibc twin ends before this member.
            let receivedBytes = 128..<136
            var info = [UInt8](repeating: 0, count: receivedBytes.upperBound)
            var size = socklen_t(info.count)
            guard getsockopt(lws_get_socket_fd(wsi), Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0,
                Int(size) == info.count
            else { return 0 }
            return info[receivedBytes].withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        #else
            return 0
        #endif
    }

    /// How much of it was read.
    private var readBytes: UInt64 {
        let received = receivedBytes
        var unread: Int32 = 0
        guard let wsi, ioctl(lws_get_socket_fd(wsi), UInt(FIONREAD), &unread) == 0 else { return received }
        // More may have come between the two questions.
        return received - min(received, UInt64(max(0, unread)))
    }

    private var tooSlow: Refusal {
        let seconds = service.configuration.limits.handshakeSeconds
        return Refusal(
            code: .requestTimeout,
            text: "A client of \(address.text) had not sent its request \(seconds) s after it began.",
            hint: "Send it in one go, or start the daemon with a longer --handshake-timeout.")
    }

    private var malformed: Refusal {
        let limit = service.configuration.limits.headerBytes
        return Refusal(
            code: .malformedRequest,
            text: "A client of \(address.text) sent something that is no HTTP/1.1 request, or one whose header is over "
                + "\(limit) bytes.",
            hint:
                "Open the daemon's address as it says it, with http or https; with large cookies, clear them or raise "
                + "--max-header-bytes.")
    }

    private func tooLarge(_ path: String, _ length: Int) -> Refusal {
        Refusal(
            code: .bodyTooLarge,
            text: "A POST of \(length) bytes to \(path) is over the limit of "
                + "\(service.configuration.limits.messageBytes) bytes.",
            hint: "Send less, or start the daemon with a higher --max-message-bytes.")
    }

    private func hand(over request: HTTPRequest) {
        // However long the answer takes, the client has done its part.
        if let wsi { lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0) }
        owesResponse = true
        service.deliver(.requested(request, service.responder(for: self)))
    }

    private var isHead: Bool { lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0 }

    private func readRequest() -> HTTPRequest {
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

    private static func method(_ number: Int32) -> HTTPRequest.Method {
        switch number {
        case Int32(LWSHUMETH_GET): .get
        case Int32(LWSHUMETH_HEAD): .head
        case Int32(LWSHUMETH_POST): .post
        case Int32(LWSHUMETH_OPTIONS): .options
        default: .other
        }
    }

    /// lws splits the query at each `&`.
    private func queryPart(_ index: Int) -> String? {
        let length = Int(lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, Int32(index)))
        guard length > 0 else { return nil }
        return String(unsafeUninitializedCapacity: length + 1) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                let copied = lws_hdr_copy_fragment(
                    wsi, characters.baseAddress, Int32(length + 1), WSI_TOKEN_HTTP_URI_ARGS, Int32(index))
                return max(0, Int(copied))
            }
        }
    }
}
