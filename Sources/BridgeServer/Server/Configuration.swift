import BridgeProtocol
public import BridgeTraffic

extension BridgeServer {
    /// The settings of a server: its addresses, the origins it accepts, what it records, and its limits.
    ///
    /// `docs/configuration.md` explains them.
    public struct Configuration: Sendable {
        /// The IP addresses to listen on. With any address but the loopback ones, every page needs a token.
        public var addresses = ["127.0.0.1", "::1"]
        /// The port to listen on. 0 picks a free one.
        public var port: UInt16 = 0
        /// The certificate and key for https and wss; nil for http and ws.
        public var tls: TLSFiles?
        /// Origins that may attach in addition to the local ones, such as `https://staging.example.com`,
        /// `https://*.example.com` or `http://192.168.1.5:*`.
        public var allowedOrigins: [String] = []
        /// The origins of the app's pages, in the same form. Only their pages get the web view that they ask for, such as
        /// `main`. If there are none, the origin of the first page is the app's.
        public var appOrigins: [String] = []
        /// Whether no origins may attach but those named above.
        public var hasStrictOrigins = false
        /// The file that traffic records are appended to, one JSON object per line.
        public var logPath: String?
        /// The rules for what is removed from the records.
        public var redaction = Redaction.standard
        /// The member of a message body that holds the message's name.
        public var discriminator = "name"
        /// Objects and functions that native code of an app of its own calls in its pages, such as `myApp.bridge`, and
        /// interface objects of such an app. They are observed there, beside those of known frameworks.
        public var observed: [String] = []
        public var limits = Limits()
        /// Looks up the addresses of a name under `.test`, on a thread of its own. Tests replace it.
        package var resolver: @Sendable (String) -> [String] = LocalNames.systemResolver
        /// How long a request waits for the resolver. Tests whose resolver waits for them make it longer.
        package var resolverPatience = Duration.seconds(2)

        public init() {}

        /// The limits on what clients may send, on what may wait, and on times.
        ///
        /// Each limit and its default are declared here and nowhere else.
        public struct Limits: Sendable, Equatable {
            // MARK: Sizes

            /// The size in bytes of the largest WebSocket message or POST body that is accepted.
            public var messageBytes = 16 << 20
            /// How deeply the arrays and objects of a message may be nested: at most 2,048 levels.
            public var nesting = JSON.deepestNesting
            /// How many values a message may have: the number of its commas and opening brackets. A value of two bytes
            /// takes up to 250 bytes of memory. Other clients wait while a message is handled, up to a microsecond for
            /// each value.
            public var values = JSON.Limits.untrusted.values
            /// How many bytes all connections together may make the daemon hold: messages and bodies that have not
            /// arrived completely, and what waits until it is read. Beyond that, the connections that hold most are
            /// closed; those of pages with 1013, so that the pages attach again.
            public var memoryBytes = 256 << 20
            /// The size in bytes of a request's header, most of which is cookies: at most 65,535.
            public var headerBytes = 16 << 10

            // MARK: Counts

            /// How many connections may be open at once: those of pages, tools and plain requests together.
            public var connections = 10_000
            /// How many connections one IPv4 address or one 64-bit IPv6 network may have; nil for no limit.
            public var connectionsPerAddress: Int?
            /// How many calls of one tool may wait for their answers.
            public var waitingCalls = 1_024
            /// How many wrong messages end a connection or a batch: those that are not JSON-RPC, and those with an
            /// unknown method or wrong params. For a tool, a correct call resets the count.
            public var errors = 16
            /// How many messages a batch may have. Other clients wait while a batch is handled. `bridge.js` sends at
            /// most 1,000.
            public var batchMessages = 1_024
            /// How many messages may wait for a page or a tool that does not read. Beyond that, its connection is
            /// closed with 1013. It may connect again and resume.
            public var waitingMessages = 1_024
            /// How many bytes these messages may have.
            public var waitingBytes = 64 << 20
            /// How many evaluations may wait for a page, for example while it is away. Further ones fail with -32006.
            public var waitingEvaluations = 10_000
            /// How many of the latest records stay in memory for tools to query.
            public var records = 10_000
            /// How many bytes these records may have, as JSON. An HTTP Archive has records of at most as many bytes.
            public var recordBytes = 64 << 20
            package var kept: RecordRing.Limits { RecordRing.Limits(records: records, bytes: recordBytes) }
            /// How many records may wait for a log file or a database that cannot be written. Beyond that, pages are
            /// disconnected, and send their messages later.
            public var unwrittenRecords = 100_000
            /// How many bytes these records may have.
            public var unwrittenBytes = 64 << 20

            // MARK: Times

            /// How long a request, a handshake or a message may take to arrive, in whole seconds.
            public var handshakeTimeout = Duration.seconds(10)
            /// How long a connection may be open before its page attaches.
            public var attachTimeout = Duration.seconds(10)
            /// How long a connection may show no sign of life, or read nothing of what waits for it, before it counts as
            /// broken. It gets a ping before that.
            public var pongTimeout = Duration.seconds(30)
            /// How long a page may be away before it counts as gone and its evaluations fail.
            public var awayTimeout = Duration.seconds(30)
            /// How long the beacon of a document that was left may take to arrive. The next document's messages, and
            /// the failure of the evaluations in the document that was left, wait this long.
            public var beaconTimeout = Duration.milliseconds(500)
            /// How long an evaluation may take if its caller names no timeout.
            public var evaluationTimeout = Duration.usualEvaluationTimeout
            /// How long a handler may take to reply; nil for any time, as in WebKit.
            public var replyTimeout: Duration?
            /// How long an evaluation in a web view without a page waits for one to attach.
            public var pageTimeout = Duration.usualTimeout

            public init() {}
        }
    }
}

/// A setting that cannot be used.
public struct ConfigurationError: Error, CustomStringConvertible {
    public let description: String

    package init(description: String) { self.description = description }
}

extension TransportConfiguration {
    /// - Throws: `ConfigurationError` if an allowed origin is not an origin, or if the TLS files cannot be used.
    init(_ configuration: BridgeServer.Configuration) throws(ConfigurationError) {
        var access = AccessPolicy()
        let appOrigins = try TransportConfiguration.patterns(configuration.appOrigins)
        access.allowedOrigins = try TransportConfiguration.patterns(configuration.allowedOrigins) + appOrigins
        access.isStrict = configuration.hasStrictOrigins
        access.scheme = configuration.tls == nil ? "http" : "https"
        let foreign = configuration.addresses.filter { !["127.0.0.1", "::1"].contains($0) }
        if !foreign.isEmpty {
            access.allowedHosts = foreign.compactMap { Authority(address: $0)?.host }
            access.allowsAnyAddress = foreign.contains("0.0.0.0") || foreign.contains("::")
            access.pageToken = AccessToken()
        }
        try configuration.tls?.check()
        self.init(
            addresses: configuration.addresses, port: configuration.port, tls: configuration.tls, access: access,
            appOrigins: AppOrigins(named: appOrigins), limits: configuration.limits)
    }

    private static func patterns(_ texts: [String]) throws(ConfigurationError) -> [OriginPattern] {
        try texts.map { text throws(ConfigurationError) in
            guard let pattern = OriginPattern(text) else {
                throw ConfigurationError(
                    description: """
                        '\(text)' is not an origin. Give scheme and host as a browser does: http://app.example:3000, or \
                        several as https://*.app.example:*
                        """)
            }
            return pattern
        }
    }
}
