import BridgeTraffic
internal import CWebsockets

/// What libwebsockets keeps pointers to for as long as its context lives, and how a context and its listeners are made.
///
/// Owned by `WebSocketContext`, which frees the context before it lets go of this.
final class ContextResources {
    static let mainQueueProtocol = "bridged.main-queue"

    private let limits: BridgeServer.Configuration.Limits
    private let tls: TLSFiles?
    private let protocols: UnsafeMutablePointer<lws_protocols>
    private var strings: [UnsafeMutablePointer<CChar>] = []
    private(set) var firstVhost: OpaquePointer?

    /// The first of lws's protocols serves plain HTTP. The others are subprotocols, but for the main queue's, which
    /// no client can ask for: `Connection.confirmUpgrade` lets through nothing but the subprotocols of the roles.
    private static let protocolNames = ["http"] + ConnectionRole.allCases.map(\.subprotocol) + [mainQueueProtocol]

    init(limits: BridgeServer.Configuration.Limits, tls: TLSFiles?) {
        self.limits = limits
        self.tls = tls
        let names = ContextResources.protocolNames
        // One more than there are: lws looks for an entry of zeros at the end.
        protocols = .allocate(capacity: names.count + 1)
        protocols.initialize(repeating: lws_protocols(), count: names.count + 1)
        for (index, name) in names.enumerated() {
            protocols[index].name = UnsafePointer(copy(name))
            protocols[index].callback = libraryCallback
            // What a round reads of a WebSocket connection at most: the more, the fewer system calls. Each connection has
            // a buffer of this size, of which it takes the memory that its largest message needs; longer ones come in
            // pieces.
            protocols[index].rx_buffer_size = 16 << 10
        }
    }

    deinit {
        protocols.deallocate()
        for string in strings { string.deallocate() }
    }

    func makeContext(loop: EventLoop) -> OpaquePointer? {
        var info = lws_context_creation_info()
        // Unretained: the loop destroys the context before it ends, and no callback comes after that.
        info.user = Unmanaged.passUnretained(loop).toOpaque()
        info.options = UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
        if tls != nil { info.options |= UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT) }
        info.port = CONTEXT_PORT_NO_LISTEN
        info.protocols = UnsafePointer(protocols)
        info.max_http_header_data = UInt16(clamping: limits.headerBytes)
        info.pt_serv_buf_size = 64 << 10
        info.timeout_secs = limits.handshakeSeconds
        info.gid = -1
        info.uid = -1
        return lws_create_context(&info)
    }

    /// A listener on one address. Nil if it can't listen.
    func makeVhost(_ context: OpaquePointer, address: String, port: UInt16) -> OpaquePointer? {
        var info = lws_context_creation_info()
        let isIPv6 = address.contains(":")
        info.options = UInt64(LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND)
        info.options |= UInt64(
            isIPv6
                ? LWS_SERVER_OPTION_IPV6_V6ONLY_MODIFY | LWS_SERVER_OPTION_IPV6_V6ONLY_VALUE
                : LWS_SERVER_OPTION_DISABLE_IPV6)
        info.iface = UnsafePointer(copy(address))
        info.vhost_name = UnsafePointer(copy("bridged-\(address)"))
        info.port = Int32(port)
        info.protocols = UnsafePointer(protocols)
        info.keepalive_timeout = 60
        info.timeout_secs = limits.handshakeSeconds
        if let tls {
            // Without it, lws would serve plain http.
            info.options |= UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT)
            info.ssl_cert_filepath = UnsafePointer(copy(tls.certificate))
            info.ssl_private_key_filepath = UnsafePointer(copy(tls.key))
            info.ssl_info_event_mask = TLSHandshake.Event.places
            info.ssl_options_set = bridged_outdated_tls_versions()
            // Not HTTP/2, which lws would offer: WebSockets and the access are HTTP/1.1's.
            info.alpn = UnsafePointer(copy("http/1.1"))
        }
        let vhost = lws_create_vhost(context, &info)
        if firstVhost == nil { firstVhost = vhost }
        return vhost
    }

    private func copy(_ string: String) -> UnsafeMutablePointer<CChar> {
        let bytes = string.utf8CString
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { pointer[index] = byte }
        strings.append(pointer)
        return pointer
    }
}
