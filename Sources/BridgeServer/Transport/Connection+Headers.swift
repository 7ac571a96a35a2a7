internal import CWebsockets

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
