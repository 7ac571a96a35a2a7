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
    var limits = Limits()

    var scheme: String { tls == nil ? "http" : "https" }
    var webSocketScheme: String { tls == nil ? "ws" : "wss" }

    /// The defaults are those of protocol.md, "Security".
    struct Limits: Sendable, Equatable {
        var messageBytes = 16 << 20
        /// Levels of arrays and objects in a message.
        var nesting = JSON.deepestNesting
        var connections = 10_000
        /// Of one IPv4 address, or of one IPv6 network of 64 bits, which is what a machine is given.
        var connectionsPerAddress = 10_000
        var outbox = Outbox.Limits()
        /// Seconds for a handshake or a request to arrive.
        var handshakeSeconds: UInt32 = 10
        /// How long a WebSocket may be without a sign of life before it counts as broken. It gets a ping before.
        var pongTimeout = Duration.seconds(30)
        /// Bytes of a request's header fields in all. A browser sends all of localhost's cookies.
        var headerBytes: UInt16 = 16 << 10
        /// Bytes of a POST's body.
        var bodyBytes: Int { messageBytes }
    }
}

/// Where a loop listens.
struct Listening: Sendable, Equatable {
    let addresses: [String]
    let port: UInt16
}

/// Why the daemon can't listen.
struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    struct Code: RawRepresentable, Sendable, Equatable {
        let rawValue: String
        static let addressInUse = Code(rawValue: "addressInUse")
        static let addressUnavailable = Code(rawValue: "addressUnavailable")
        static let permissionDenied = Code(rawValue: "permissionDenied")
        static let invalidAddress = Code(rawValue: "invalidAddress")
        static let libraryFailed = Code(rawValue: "libraryFailed")
    }

    let code: Code
    let description: String
}
