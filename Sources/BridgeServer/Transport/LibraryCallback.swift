import BridgeTraffic
internal import CWebsockets

/// The one callback that libwebsockets calls. Each case calls one method that neither throws nor traps.
///
/// libwebsockets calls it on the loop's thread. The result 0 continues; any other value closes the connection or
/// refuses the request.
func libraryCallback(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
    guard let wsi, let context = WebSocketContext.of(wsi) else { return 0 }
    switch reason {
    // Connections and upgrades
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION: return context.admits(socket: input) ? 0 : 1
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: context.accepted(wsi)
    case LWS_CALLBACK_SSL_INFO: context.handleTLS(wsi, input)
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return context.connection(of: wsi).confirmUpgrade(to: input)
    case LWS_CALLBACK_TIMER: return Connection.of(wsi)?.timerFired() ?? 0
    case LWS_CALLBACK_WSI_DESTROY: Connection.of(wsi)?.destroyed()

    // HTTP
    case LWS_CALLBACK_HTTP: return context.connection(of: wsi).requestArrived()
    case LWS_CALLBACK_HTTP_BODY:
        return Connection.of(wsi)?.bodyArrived(UnsafeRawBufferPointer(start: input, count: length)) ?? -1
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return Connection.of(wsi)?.bodyCompleted() ?? -1
    case LWS_CALLBACK_CLOSED_HTTP: Connection.of(wsi)?.reportUnfinishedRequest()

    // WebSocket
    case LWS_CALLBACK_ESTABLISHED: context.connection(of: wsi).established()
    case LWS_CALLBACK_RECEIVE:
        guard let connection = Connection.of(wsi) else { return -1 }
        context.willReceive(on: connection)
        return connection.received(UnsafeRawBufferPointer(start: input, count: length))
    case LWS_CALLBACK_RECEIVE_PONG: Connection.of(wsi)?.liveness.received()
    case LWS_CALLBACK_SERVER_WRITEABLE: return Connection.of(wsi)?.writeMessages() ?? -1
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        Connection.of(wsi)?.peerCloses(UnsafeRawBufferPointer(start: input, count: length))
    case LWS_CALLBACK_CLOSED: Connection.of(wsi)?.closed()

    // libwebsockets turns a CONNECT request into a raw connection, which the daemon does not serve.
    case LWS_CALLBACK_RAW_ADOPT:
        Connection.of(wsi)?.reportUnfinishedRequest()
        return -1
    case LWS_CALLBACK_RAW_RX: return -1
    default: break
    }
    return 0
}

extension WebSocketContext {
    /// The context that `wsi` belongs to; nil while the context is being created.
    fileprivate static func of(_ wsi: OpaquePointer) -> WebSocketContext? {
        guard let context = lws_get_context(wsi), let user = lws_context_user(context) else { return nil }
        // Unretained: see `ContextResources.makeContext`.
        return Unmanaged<EventLoop>.fromOpaque(user).takeUnretainedValue().context
    }
}
