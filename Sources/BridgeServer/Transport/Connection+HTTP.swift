internal import CWebsockets
import Foundation

/// HTTP on a connection: requests in, one response at a time out.
extension Connection {
    /// A request's header has arrived, and perhaps a body comes.
    func requestArrived() -> Int32 {
        let request = readRequest()
        if let refusal = service.configuration.doors.refusal(ofRequest: request.headers) { return refuse(refusal) }
        guard request.method == .post else {
            hand(over: request)
            return 0
        }
        guard let length = request.headers.contentLength.flatMap({ Int($0) }), length >= 0 else {
            return refuse(
                Refusal(
                    code: .lengthRequired, text: "A POST to \(request.path) came without a Content-Length.",
                    hint: "Send the body whole, with its length, not chunked."))
        }
        guard length <= service.configuration.limits.bodyBytes else { return refuse(tooLarge(request.path, length)) }
        self.request = request
        return 0
    }

    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let request else { return 0 }
        guard request.body.count + bytes.count <= service.configuration.limits.bodyBytes else {
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
        guard let wsi, stream != nil else { return }
        var byte: UInt8 = 0
        let count = recv(lws_get_socket_fd(wsi), &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        guard count == 0 || (count < 0 && errno != EAGAIN) else { return }
        hasHungUp = true
        requestWrite()
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

    private func tooLarge(_ path: String, _ length: Int) -> Refusal {
        Refusal(
            code: .bodyTooLarge,
            text: "A POST of \(length) bytes to \(path) is over the limit of "
                + "\(service.configuration.limits.bodyBytes) bytes.",
            hint: "Send less, or raise the daemon's limit for messages.")
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
