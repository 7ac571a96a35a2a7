import BridgeTraffic
internal import CWebsockets

/// One libwebsockets connection, first HTTP, then perhaps a WebSocket. Bound to the loop's thread.
///
/// lws holds one retain of it, in the connection's opaque user data, from the first callback that asks for it until
/// `destroyed`, the one place that releases it.
final class Connection {
    let id: ConnectionID
    /// Nil once lws has destroyed it.
    private(set) var wsi: OpaquePointer?
    unowned let service: WebSocketContext
    let address: PeerAddress
    let acceptedAt = ContinuousClock.now
    /// A whole request's header has come, at least once.
    var hasAsked = false
    /// Nil where plain http is served.
    var tls: TLSHandshake?

    // HTTP: a request whose body is on its way, and a response that waits for the socket.
    var request: HTTPRequest?
    var requestedAt = ContinuousClock.now
    var response: [UInt8]?
    var closesAfterResponse = false
    var stream: HTTPStream?
    /// The stream's client is gone.
    var hasHungUp = false
    /// A request was handed over, and nobody has answered it yet.
    var owesResponse = false

    // WebSocket
    var handshake = Handshake(origin: nil, userAgent: nil)
    var channel: Channel?
    /// The fragments of a message that is not complete yet.
    var gathered: [UInt8] = []
    var pendingClose: (code: CloseCode, reason: String)?
    var liveness = Liveness()
    var closure = Closure(code: nil, byPeer: false)

    init(id: ConnectionID, wsi: OpaquePointer, service: WebSocketContext) {
        self.id = id
        self.wsi = wsi
        self.service = service
        address = PeerAddress(socket: lws_get_socket_fd(wsi))
        tls = service.configuration.tls.map { _ in TLSHandshake() }
        // Retained: lws holds this until `destroyed`.
        lws_set_opaque_user_data(wsi, Unmanaged.passRetained(self).toOpaque())
    }

    deinit { assert(wsi == nil, "a connection went before lws destroyed it") }

    /// The connection of `wsi`, if it has one.
    static func of(_ wsi: OpaquePointer) -> Connection? {
        // Unretained: lws keeps its own retain.
        lws_get_opaque_user_data(wsi).map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// lws frees `wsi` after this.
    func destroyed() {
        guard let wsi, let user = lws_get_opaque_user_data(wsi) else { return }
        lws_set_opaque_user_data(wsi, nil)
        self.wsi = nil
        service.forget(self)
        if let failure = tls?.failure(of: address) { service.deliver(.refused(failure)) }
        if let stream { service.deliver(.streamEnded(stream)) }
        if owesResponse { service.deliver(.abandoned(id)) }
        // Released: this is the retain of `init`.
        Unmanaged<Connection>.fromOpaque(user).release()
    }

    func requestWrite() {
        if let wsi { lws_callback_on_writable(wsi) }
    }

    /// The request's header fields that the daemon looks at. Only while the request is being received.
    func readHeaders() -> RequestHeaders {
        RequestHeaders(
            host: header(WSI_TOKEN_HOST), origin: header(WSI_TOKEN_ORIGIN),
            userAgent: header(WSI_TOKEN_HTTP_USER_AGENT), contentType: header(WSI_TOKEN_HTTP_CONTENT_TYPE),
            contentLength: header(WSI_TOKEN_HTTP_CONTENT_LENGTH), authorization: header(WSI_TOKEN_HTTP_AUTHORIZATION),
            subprotocols: header(WSI_TOKEN_PROTOCOL), transferEncoding: header(WSI_TOKEN_HTTP_TRANSFER_ENCODING),
            webSocketVersion: header(WSI_TOKEN_VERSION), referer: header(WSI_TOKEN_HTTP_REFERER),
            accept: header(WSI_TOKEN_HTTP_ACCEPT), fetchSite: header("sec-fetch-site:"),
            fetchMode: header("sec-fetch-mode:"))
    }

    func header(_ token: lws_token_indexes) -> String? {
        guard let wsi else { return nil }
        let length = Int(lws_hdr_total_length(wsi, token))
        guard length > 0 else { return nil }
        // lws_hdr_copy ends the text with a NUL.
        return String(unsafeUninitializedCapacity: length + 1) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                max(0, Int(lws_hdr_copy(wsi, characters.baseAddress, Int32(length + 1), token)))
            }
        }
    }

    /// A field that lws has no token for.
    /// - Parameter name: in lower case, with its colon.
    private func header(_ name: String) -> String? {
        guard let wsi, case let length = lws_hdr_custom_length(wsi, name, Int32(name.utf8.count)), length > 0 else {
            return nil
        }
        return String(unsafeUninitializedCapacity: Int(length) + 1) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                max(
                    0,
                    Int(
                        lws_hdr_custom_copy(
                            wsi, characters.baseAddress, length + 1, name, Int32(name.utf8.count))))
            }
        }
    }
}

@available(*, unavailable) extension Connection: Sendable {}
