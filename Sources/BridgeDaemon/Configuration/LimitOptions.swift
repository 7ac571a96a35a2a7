import ArgumentParser
import BridgeProtocol
import BridgeServer

/// The limits of `serve` as flags. Their values are read later; see ``SettingLookup``.
struct LimitOptions: ParsableArguments {
    @Option(help: .count("How many connections are open at a time.", \.connections))
    var maxConnections: String?

    @Option(
        help: ArgumentHelp(
            "How many of these connections one address may have. (default: all)", valueName: "count"))
    var maxConnectionsPerAddress: String?

    @Option(help: .count("How many messages wait for a page or tool that does not read.", \.waitingMessages))
    var maxWaitingMessages: String?

    @Option(help: .size("How large these messages are together.", \.waitingBytes))
    var maxWaitingBytes: String?

    @Option(help: .count("How many evaluations wait for a page, such as one that is away.", \.waitingEvaluations))
    var maxWaitingEvaluations: String?

    @Option(help: .count("How many calls of one tool wait for their answers.", \.waitingCalls))
    var maxWaitingCalls: String?

    @Option(help: .count("How many wrong messages end a connection.", \.errors))
    var maxErrors: String?

    @Option(help: .size("How large a message or a POST is, such as 500KiB.", \.messageBytes))
    var maxMessageBytes: String?

    @Option(help: .size("How large a request's header is, including its cookies.", \.headerBytes))
    var maxHeaderBytes: String?

    @Option(help: .count("How many levels of arrays and objects a message has.", \.nesting, valueName: "levels"))
    var maxNesting: String?

    @Option(help: .count("How many values a message has: commas and opening brackets.", \.values))
    var maxValues: String?

    @Option(help: .size("How much all connections together make the daemon hold.", \.memoryBytes))
    var maxMemoryBytes: String?

    @Option(help: .time("How long a request, a handshake or a message takes to arrive.", \.handshakeTimeout))
    var handshakeTimeout: String?

    @Option(help: .time("How long a connection is silent before it counts as broken.", \.pongTimeout))
    var pongTimeout: String?

    /// Looks up the limits, and sets those that are given. The others keep their values.
    func read(_ settings: inout SettingLookup, into limits: inout BridgeServer.Configuration.Limits) throws {
        let counts = 1...1_000_000
        let sizes = 1_024...(1 << 30)
        // The daemon would check its connections without a pause.
        let least = Duration.milliseconds(10)
        limits.connections = try settings.count("max-connections", maxConnections, counts) ?? limits.connections
        limits.connectionsPerAddress = try settings.count(
            "max-connections-per-address", maxConnectionsPerAddress, counts)
        limits.waitingMessages =
            try settings.count("max-waiting-messages", maxWaitingMessages, counts) ?? limits.waitingMessages
        limits.waitingBytes = try settings.size("max-waiting-bytes", maxWaitingBytes, sizes) ?? limits.waitingBytes
        limits.waitingEvaluations =
            try settings.count("max-waiting-evaluations", maxWaitingEvaluations, counts) ?? limits.waitingEvaluations
        limits.waitingCalls = try settings.count("max-waiting-calls", maxWaitingCalls, counts) ?? limits.waitingCalls
        limits.errors = try settings.count("max-errors", maxErrors, counts) ?? limits.errors
        limits.messageBytes = try settings.size("max-message-bytes", maxMessageBytes, sizes) ?? limits.messageBytes
        limits.headerBytes = try settings.size("max-header-bytes", maxHeaderBytes, 1_024...65_535) ?? limits.headerBytes
        limits.nesting = try settings.count("max-nesting", maxNesting, 8...2_048) ?? limits.nesting
        limits.values = try settings.count("max-values", maxValues, 1_000...100_000_000) ?? limits.values
        limits.memoryBytes = try settings.size("max-memory-bytes", maxMemoryBytes, sizes) ?? limits.memoryBytes
        limits.pongTimeout = try settings.duration("pong-timeout", pongTimeout, atLeast: least) ?? limits.pongTimeout
        if let time = try settings.duration("handshake-timeout", handshakeTimeout, atLeast: least) {
            limits.handshakeTimeout = time
            limits.attachTimeout = time
        }
    }
}

/// Help texts that end with the default in `BridgeServer.Configuration.Limits`.
extension ArgumentHelp {
    private typealias Limits = BridgeServer.Configuration.Limits

    fileprivate static func count(
        _ text: String, _ limit: KeyPath<BridgeServer.Configuration.Limits, Int>, valueName: String = "count"
    ) -> ArgumentHelp {
        ArgumentHelp("\(text) (default: \(Limits()[keyPath: limit]))", valueName: valueName)
    }

    fileprivate static func size(
        _ text: String, _ limit: KeyPath<BridgeServer.Configuration.Limits, Int>
    ) -> ArgumentHelp {
        let bytes = Limits()[keyPath: limit]
        let size = bytes % (1 << 20) == 0 ? "\(bytes >> 20)MiB" : "\(bytes >> 10)KiB"
        return ArgumentHelp("\(text) (default: \(size))", valueName: "size")
    }

    fileprivate static func time(
        _ text: String, _ limit: KeyPath<BridgeServer.Configuration.Limits, Duration>
    ) -> ArgumentHelp {
        ArgumentHelp(
            "\(text) (default: \(Int(Limits()[keyPath: limit].milliseconds / 1_000))s)", valueName: "time")
    }
}
