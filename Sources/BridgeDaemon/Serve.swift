import ArgumentParser
import BridgeArchive
import BridgeProtocol
import BridgeServer
import Foundation
import Logging
import Turbo
import UnixSignals

/// `bridged serve`. Synchronous, because the loop takes the main thread: under an async `main` the main queue is
/// already being drained by somebody else.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve pages until stopped.",
        usage: "bridged serve [<options>]",
        discussion: """
            Examples:
              bridged serve
              bridged serve --root-url http://localhost:3000 --log traffic.ndjson
              bridged serve --port 0 --json | jq 'select(.kind == "message")'

            Exit codes: 0 after SIGTERM or SIGINT, 1 where it can't serve, 64 for a mistake in the options.
            """)

    @Option(
        help: ArgumentHelp(
            "Address to listen on; may be repeated.", discussion: "Another than localhost asks a token of every page.",
            valueName: "address"))
    var host: [String] = ["localhost"]

    @Option(help: "Port to listen on; 0 picks a free one.")
    var port: UInt16 = 2734

    @Option(help: ArgumentHelp("Append the traffic to a file, one JSON object a line.", valueName: "file"))
    var log: String?

    @Option(
        help: ArgumentHelp("Keep the traffic in an SQLite file, for tools to ask for.", valueName: "file"))
    var database: String?

    @Option(
        help: ArgumentHelp(
            "How much the database keeps: a number of records, or an age such as 7d or 12h.", valueName: "amount"))
    var keep = "100000"

    @Option(
        help: ArgumentHelp(
            "Record values under this key by type and length alone, as those of passwords are; may be repeated.",
            valueName: "key"))
    var redact: [String] = []

    @Flag(name: .customLong("no-redact"), help: "Record secrets as they are.")
    var keepsSecrets = false

    @Flag(help: "Write the traffic to standard output, one JSON object a line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The app's address, against which paths such as /customers/new are resolved.", valueName: "url"))
    var rootURL: String?

    @Option(help: ArgumentHelp("The device token that pages get. Left out, one is made up.", valueName: "token"))
    var pushToken: String?

    @Option(
        help: ArgumentHelp("Let pages of this origin attach beside local ones; may be repeated.", valueName: "origin"))
    var allowOrigin: [String] = []

    @Flag(name: .shortAndLong, help: "Say more on standard error.")
    var verbose = false

    func validate() throws {
        guard Retention(keep) != nil else {
            throw ValidationError(
                "'\(keep)' is no amount for --keep. Give a number of records, or an age like 7d or 12h.")
        }
        guard let rootURL else { return }
        guard let url = URL(string: rootURL), ["http", "https"].contains(url.scheme), url.host != nil else {
            throw ValidationError("'\(rootURL)' is no address for --root-url. Give one like http://localhost:3000.")
        }
    }

    func run() throws {
        let level: Logger.Level = verbose ? .debug : json ? .warning : .error
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        try MainActor.assumeIsolated { try serve() }
    }

    @MainActor private func serve() throws {
        let server = try BridgeServer(serverConfiguration)
        if let database {
            server.traffic.keep(in: try TrafficDatabase(path: database, retention: Retention(keep) ?? .everything))
        }
        let shell = Shell(server: server, rootURL: rootURL.flatMap { URL(string: $0) }, pushToken: pushToken)
        let output: any Output = json ? JSONOutput(server) : TerminalOutput(server)
        Task { await stopOnSignal(server) }
        try server.runOnMainThread { address in output.listening(address, shell, log: log) }
        output.stopped()
    }

    private var serverConfiguration: BridgeServer.Configuration {
        var configuration = BridgeServer.Configuration()
        configuration.addresses = host.flatMap { $0 == "localhost" ? ["127.0.0.1", "::1"] : [$0] }
        configuration.port = port
        configuration.allowedOrigins = allowOrigin
        configuration.logPath = log
        configuration.redaction = keepsSecrets ? .none : .standard
        for key in redact { configuration.redaction.add(key) }
        return configuration
    }
}

/// The first SIGTERM or SIGINT stops in good order, another one at once.
@MainActor private func stopOnSignal(_ server: BridgeServer) async {
    var isStopping = false
    for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) {
        if isStopping { Foundation.exit(1) }
        isStopping = true
        Task { await server.stop() }
    }
}
