import BridgeProtocol
import BridgeTraffic
internal import CWebsockets
import Foundation

/// Creates a libwebsockets context and its listeners (which libwebsockets calls vhosts), and owns the memory that they
/// point to.
///
/// `WebSocketContext` owns this object, and frees the context before it releases it.
final class ContextResources {
    private let limits: BridgeServer.Configuration.Limits
    private let tls: TLSFiles?
    private let protocols: UnsafeMutablePointer<lws_protocols>
    private var strings: [UnsafeMutablePointer<CChar>] = []
    /// The context. libwebsockets sets it to nil when it frees the context.
    private let context = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: 1)

    /// The context's log, which it uses until it is freed; nil if it has none of its own.
    private var log: UnsafeMutableRawPointer?

    /// The first protocol serves plain HTTP. The others are subprotocols.
    private static let protocolNames = ["http"] + ConnectionRole.allCases.map(\.subprotocol)

    init(limits: BridgeServer.Configuration.Limits, tls: TLSFiles?) {
        self.limits = limits
        self.tls = tls
        context.initialize(to: nil)
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
        free(log)
        context.deallocate()
        protocols.deallocate()
        for string in strings { string.deallocate() }
    }

    // MARK: Context

    /// Creates the context, whose sockets wait in `uv`.
    /// - Throws: `TransportError`; then `uv` is closed.
    func makeContext(loop: EventLoop, in uv: UVLoop) throws -> OpaquePointer {
        var info = lws_context_creation_info()
        // Unretained: the loop destroys the context before it ends, and there are no callbacks after that.
        info.user = Unmanaged.passUnretained(loop).toOpaque()
        info.options = UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_LIBUV)
        if tls != nil { info.options |= UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT) }
        info.port = CONTEXT_PORT_NO_LISTEN
        info.protocols = UnsafePointer(protocols)
        info.max_http_header_data = UInt16(clamping: limits.headerBytes)
        info.pt_serv_buf_size = 64 << 10
        info.timeout_secs = limits.handshakeSeconds
        bridged_lws_keep_user(&info)
        log = bridged_lws_make_log(&info, LibraryLog.emit)
        info.pcontext = context
        // libwebsockets would check by itself, after minutes, whether a peer still answers, as `Liveness` does. It
        // would store the times in a sorted list and look for the place of each new connection from the list's start.
        // Without a time to hang up, it makes no checks.
        var idlePolicy = lws_retry_bo_t()
        idlePolicy.secs_since_valid_ping = 1
        context.pointee = withUnsafePointer(to: idlePolicy) { idlePolicy in
            withUnsafePointer(to: uv.foreignLoop) { foreignLoop in
                info.retry_and_idle_policy = idlePolicy
                info.foreign_loops = UnsafeMutablePointer(mutating: foreignLoop)
                return lws_create_context(&info)
            }
        }
        // A context that libwebsockets could not complete has no user.
        guard let pointer = context.pointee, lws_context_user(pointer) != nil else {
            finishDestroying(in: uv)
            throw TransportError(.libraryFailed, ContextResources.creationFailed)
        }
        return pointer
    }

    private static var creationFailed: String {
        #if os(Linux)
            if let plugin = bridged_lws_plugin_folder().map({ "\(String(cString: $0))/libwebsockets-evlib_uv.so" }),
                dlopen(plugin, RTLD_LAZY) == nil
            {
                return "libwebsockets needs its plugin for libuv, \(plugin), and cannot load it. On Debian and Ubuntu, "
                    + "`apt-get install libwebsockets-evlib-uv` installs it."
            }
        #endif
        return "libwebsockets could not create its context; its log lines say why."
    }

    /// Frees the context and closes `uv`.
    ///
    /// libuv closes handles in a later iteration of its loop. So the first call of `lws_context_destroy` only begins to
    /// close everything.
    func destroyContext(in uv: UVLoop) {
        guard let pointer = context.pointee else { return }
        let polled = uv.polledDescriptors
        let eventPipe = polled.first { lws_get_vhost($0.wsi) == nil }?.descriptor
        lws_context_destroy(pointer)
        if let eventPipe, bridged_lws_closes_event_pipe_twice() != 0 {
            // libwebsockets before 4.3.5 has closed this descriptor, and closes it again in the loop. In between, no
            // other thread may get a descriptor with this number. If one has got it already, the loop must not run.
            let placeholder = uv.duplicate(atLeast: eventPipe)
            guard placeholder == eventPipe else {
                close(placeholder)
                for (_, descriptor) in polled where descriptor != eventPipe { close(descriptor) }
                return
            }
        }
        finishDestroying(in: uv)
    }

    private func finishDestroying(in uv: UVLoop) {
        uv.finish()
        // Newer versions have freed the context in the loop.
        if let pointer = context.pointee { lws_context_destroy(pointer) }
        uv.close()
    }

    // MARK: Listeners

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
            // TLS 1.2 with forward secrecy and authenticated encryption only (RFC 7525, section 4.2). OpenSSL's default
            // also has CBC with SHA-1. TLS 1.3 has no other ciphers.
            info.ssl_cipher_list = UnsafePointer(copy("ECDHE+AESGCM:ECDHE+CHACHA20"))
            // Otherwise libwebsockets would also offer HTTP/2, which the WebSocket code and the access policy do not
            // support.
            info.alpn = UnsafePointer(copy("http/1.1"))
        }
        return lws_create_vhost(context, &info)
    }

    private func copy(_ string: String) -> UnsafeMutablePointer<CChar> {
        let bytes = string.utf8CString
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { pointer[index] = byte }
        strings.append(pointer)
        return pointer
    }
}
