import ArgumentParser
import BridgeServer
import BridgeYAML
import PathConfiguration

/// What clients may take, as flags of `serve`. All are texts, so that a mistake is told as one in `bridged.yml` is.
struct LimitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many connections are held at a time. (default: 10000)", valueName: "count"))
    var maxConnections: String?

    @Option(
        help: ArgumentHelp(
            "How many of them one address may have. (default: as many as there may be)", valueName: "count"))
    var maxConnectionsPerAddress: String?

    @Option(
        help: ArgumentHelp(
            "How many messages may wait for a page or tool that does not read. (default: 1024)", valueName: "count"))
    var maxWaitingMessages: String?

    @Option(help: ArgumentHelp("How large these messages may be together. (default: 64MiB)", valueName: "size"))
    var maxWaitingBytes: String?

    @Option(
        help: ArgumentHelp(
            "How many evaluations may wait for a page, such as one that is away. (default: 10000)", valueName: "count"))
    var maxWaitingEvaluations: String?

    @Option(
        help: ArgumentHelp("How many calls of one tool may wait for their answers. (default: 1024)", valueName: "count")
    )
    var maxWaitingCalls: String?

    @Option(
        help: ArgumentHelp(
            "How many messages that are no JSON-RPC end a connection. (default: 16)", valueName: "count"))
    var maxErrors: String?

    @Option(
        help: ArgumentHelp(
            "How large a message, or a POST, may be, such as 500KiB. (default: 16MiB)", valueName: "size"))
    var maxMessageBytes: String?

    @Option(
        help: ArgumentHelp("How large a request's header may be, cookies and all. (default: 16KiB)", valueName: "size"))
    var maxHeaderBytes: String?

    @Option(
        help: ArgumentHelp(
            "How deep arrays and objects of a message may stand in each other. (default: 2048)", valueName: "levels"))
    var maxNesting: String?

    @Option(
        help: ArgumentHelp(
            "How long a request, a handshake included, may take to arrive. (default: 10s)", valueName: "time"))
    var handshakeTimeout: String?

    @Option(
        help: ArgumentHelp(
            "How long a connection may give no sign of life before it counts as broken. (default: 30s)",
            valueName: "time"))
    var pongTimeout: String?

    /// What is given.
    var texts: [Setting: String?] {
        [
            .maxConnections: maxConnections, .maxConnectionsPerAddress: maxConnectionsPerAddress,
            .maxWaitingCalls: maxWaitingCalls, .maxErrors: maxErrors, .maxMessageBytes: maxMessageBytes,
            .maxHeaderBytes: maxHeaderBytes, .maxNesting: maxNesting, .handshakeTimeout: handshakeTimeout,
            .maxWaitingMessages: maxWaitingMessages, .maxWaitingBytes: maxWaitingBytes,
            .maxWaitingEvaluations: maxWaitingEvaluations, .pongTimeout: pongTimeout,
        ]
    }
}

extension BridgeServer.Configuration {
    /// Takes over the limits that are set.
    ///
    /// - Throws: `SettingError`
    mutating func setLimits(_ settings: Settings) throws(SettingError) {
        limits.connections = try settings.count(.maxConnections, 1...1_000_000) ?? limits.connections
        limits.connectionsPerAddress = try settings.count(.maxConnectionsPerAddress, 1...1_000_000)
        limits.waitingCalls = try settings.count(.maxWaitingCalls, 1...1_000_000) ?? limits.waitingCalls
        limits.errors = try settings.count(.maxErrors, 1...1_000_000) ?? limits.errors
        limits.messageBytes = try settings.size(.maxMessageBytes, 1_024...(1 << 30)) ?? limits.messageBytes
        limits.headerBytes = try settings.size(.maxHeaderBytes, 1_024...65_535) ?? limits.headerBytes
        limits.nesting = try settings.count(.maxNesting, 8...2_048) ?? limits.nesting
        limits.waitingMessages = try settings.count(.maxWaitingMessages, 1...1_000_000) ?? limits.waitingMessages
        limits.waitingBytes = try settings.size(.maxWaitingBytes, 1_024...(1 << 30)) ?? limits.waitingBytes
        limits.waitingEvaluations =
            try settings.count(.maxWaitingEvaluations, 1...1_000_000) ?? limits.waitingEvaluations
        limits.pongTimeout = try settings.duration(.pongTimeout) ?? limits.pongTimeout
        if let time = try settings.duration(.handshakeTimeout) {
            limits.handshakeTimeout = time
            limits.attachTimeout = time
        }
    }
}

extension Settings {
    fileprivate func count(_ setting: Setting, _ range: ClosedRange<Int>) throws(SettingError) -> Int? {
        try value(setting, "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Bytes: a number, `500KiB`, `16MiB`.
    fileprivate func size(_ setting: Setting, _ range: ClosedRange<Int>) throws(SettingError) -> Int? {
        let expected = "a size such as 500KiB or 16MiB, from \(range.lowerBound) to \(range.upperBound) bytes"
        return try value(setting, expected) { text in
            let units = [("KiB", 10), ("MiB", 20), ("", 0)]
            guard let (unit, shift) = units.first(where: { text.hasSuffix($0.0) }),
                let number = Int(text.dropLast(unit.count)), number <= range.upperBound
            else { return nil }
            return range.contains(number << shift) ? number << shift : nil
        }
    }

    func duration(_ setting: Setting) throws(SettingError) -> Duration? {
        try value(setting, "a time such as 500ms, 5s or 2m") { Duration($0) }
    }
}
