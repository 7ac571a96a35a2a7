import BridgeProtocol

/// Where to listen, whom to let in, and how much of it.
struct TransportConfiguration: Sendable {
    /// Literal addresses, each a listener of its own. The first must be available; of the others those that the
    /// machine lacks (`::1` where IPv6 is off) are left out.
    var addresses = ["127.0.0.1", "::1"]
    /// 0 picks a free port, the same for all addresses.
    var port: UInt16 = 0
    /// Nil for plain http and ws.
    var tls: TLSFiles?
    var access: AccessPolicy
    var limits: BridgeServer.Configuration.Limits

    var scheme: String { tls == nil ? "http" : "https" }
    var webSocketScheme: String { tls == nil ? "ws" : "wss" }
}

extension BridgeServer.Configuration.Limits {
    var outbox: Outbox.Limits { Outbox.Limits(messages: waitingMessages, bytes: waitingBytes) }
    /// `handshakeTimeout` in the unit of libwebsockets.
    var handshakeSeconds: UInt32 { UInt32(clamping: max(1, Int(handshakeTimeout.seconds.rounded(.up)))) }
}

/// The addresses and the port that a loop listens on.
struct Listening: Sendable, Equatable {
    let addresses: [String]
    let port: UInt16
}
