import BridgeTraffic
internal import CWebsockets

/// Creates a libwebsockets context and its listeners (which libwebsockets calls vhosts), and owns the memory that they
/// point to.
///
/// `WebSocketContext` owns this object, and frees the context before it releases it.
final class ContextResources {
    static let mainQueueProtocol = "bridged.main-queue"

    private let limits: BridgeServer.Configuration.Limits
    private let tls: TLSFiles?
    private let protocols: UnsafeMutablePointer<lws_protocols>
    private var strings: [UnsafeMutablePointer<CChar>] = []
    private(set) var firstVhost: OpaquePointer?

    /// The first protocol serves plain HTTP, the last one the main queue, and the others are subprotocols. Clients
    /// cannot use the last one: `Connection.confirmUpgrade` accepts only the subprotocols of the roles.
    private static let protocolNames = ["http"] + ConnectionRole.allCases.map(\.subprotocol) + [mainQueueProtocol]

    init(limits: BridgeServer.Configuration.Limits, tls: TLSFiles?) {
        self.limits = limits
        self.tls = tls
        let names = ContextResources.protocolNames
        // libwebsockets expects an additional entry of zeros at the end.
        protocols = .allocate(capacity: names.count + 1)
        protocols.initialize(repeating: lws_protocols(), count: names.count + 1)
        for (index, name) in names.enumerated() {
            protocols[index].name = UnsafePointer(copy(name))
            protocols[index].callback = libraryCallback
            // The number of bytes that are read from a WebSocket connection at once. A larger buffer saves system
            // calls. Each connection has one buffer, of which only the pages that its largest message touched occupy
            // memory. Longer messages arrive in pieces.
            protocols[index].rx_buffer_size = 16 << 10
        }
    }

    deinit {
        protocols.deallocate()
        for string in strings { string.deallocate() }
    }

    func makeContext(loop: EventLoop) -> OpaquePointer? {
        var info = lws_context_creation_info()
        // Unretained: the loop destroys the context before it ends, and there are no callbacks after that.
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

    /// Creates a listener on one address. Returns nil if libwebsockets cannot listen there.
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
            // Without this option, libwebsockets would serve plain http.
            info.options |= UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT)
            info.ssl_cert_filepath = UnsafePointer(copy(tls.certificate))
            info.ssl_private_key_filepath = UnsafePointer(copy(tls.key))
            info.ssl_info_event_mask = TLSHandshake.Event.places
            info.ssl_options_set = bridged_outdated_tls_versions()
            // Otherwise libwebsockets would also offer HTTP/2, which the WebSocket code and the access policy do not
            // support.
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
