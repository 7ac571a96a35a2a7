/// A setting that can't be used.
public struct ConfigurationError: Error, CustomStringConvertible {
    public let description: String
}

extension TransportConfiguration {
    /// - Throws: `ConfigurationError`
    init(_ configuration: BridgeServer.Configuration) throws(ConfigurationError) {
        var access = AccessPolicy()
        for text in configuration.allowedOrigins {
            guard let origin = Origin(text) else {
                throw ConfigurationError(
                    description:
                        "'\(text)' is not an origin. Give scheme and host as a browser does: http://app.example:3000")
            }
            access.allowedOrigins.append(origin)
        }
        let foreign = configuration.addresses.filter { !["127.0.0.1", "::1"].contains($0) }
        if !foreign.isEmpty {
            access.allowedHosts = foreign.compactMap { Authority(address: $0)?.host }
            access.allowsAnyAddress = foreign.contains("0.0.0.0") || foreign.contains("::")
            access.pageToken = AccessToken()
        }
        try configuration.tls?.check()
        self.init(
            addresses: configuration.addresses, port: configuration.port, tls: configuration.tls, access: access)
        limits.messageBytes = configuration.maxMessageBytes
        limits.nesting = configuration.maxNesting
        limits.connections = configuration.maxConnections
        limits.connectionsPerAddress = configuration.maxConnectionsPerAddress ?? configuration.maxConnections
        limits.headerBytes = UInt16(clamping: configuration.maxHeaderBytes)
        limits.handshakeSeconds = UInt32(clamping: max(1, Int(configuration.handshakeTimeout.seconds.rounded(.up))))
        limits.outbox = Outbox.Limits(messages: configuration.maxWaitingMessages, bytes: configuration.maxWaitingBytes)
        limits.pongTimeout = configuration.pongTimeout
    }
}

extension HubSettings {
    init(_ configuration: BridgeServer.Configuration) {
        self.init(
            maxMessageBytes: configuration.maxMessageBytes, maxNesting: configuration.maxNesting,
            maxErrors: configuration.maxErrors, maxWaitingEvaluations: configuration.maxWaitingEvaluations,
            attachTimeout: configuration.attachTimeout,
            awayTimeout: configuration.awayTimeout, beaconTimeout: configuration.beaconTimeout,
            evaluationTimeout: configuration.evaluationTimeout,
            replyTimeout: configuration.replyTimeout, discriminator: configuration.discriminator)
    }
}
