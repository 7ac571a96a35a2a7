import BridgeProtocol

/// The part of a server's configuration that the transport needs.
struct TransportConfiguration: Sendable {
    /// The IP addresses to listen on, each with a listener of its own. The first must be available. Others that the
    /// machine does not have, such as `::1` without IPv6, are skipped.
    let addresses: [String]
    /// The port of all listeners. 0 picks a free one.
    let port: UInt16
    /// The certificate and key; nil for plain http and ws.
    let tls: TLSFiles?
    var access: AccessPolicy
    /// The origins that the settings name as the app's.
    let appOrigins: AppOrigins
    var limits: BridgeServer.Configuration.Limits

    var scheme: String { access.scheme }
    var webSocketScheme: String { tls == nil ? "ws" : "wss" }
}

extension BridgeServer.Configuration.Limits {
    var json: JSON.Limits { JSON.Limits(nesting: nesting, values: values) }
    var outbox: Outbox.Limits { Outbox.Limits(messages: waitingMessages, bytes: waitingBytes) }
    /// `handshakeTimeout` in whole seconds, rounded up, for libwebsockets.
    var handshakeSeconds: UInt32 { UInt32(min(max(1, handshakeTimeout.seconds.rounded(.up)), 1_000_000_000)) }
}

/// The addresses and the port that a loop listens on.
struct Listening: Sendable, Equatable {
    let addresses: [String]
    let port: UInt16
}
