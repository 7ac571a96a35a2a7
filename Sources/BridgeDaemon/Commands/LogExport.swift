import ArgumentParser
import BridgeClient
import BridgeProcesses
import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Foundation

/// `bridged log export`
struct LogExport: ClientCommand {
    static let configuration = clientConfiguration(
        "export", "Write traffic as an HTTP Archive, which browsers' developer tools import.",
        """
        Each page is a WebSocket, and its records are the messages of that socket. In Chrome, open the Network panel \
        and drop the file there.

        Examples:
          bridged log export traffic.ndjson --har traffic.har
          bridged log export --har - | jq '.log.entries[0]._webSocketMessages'
        """)

    @Argument(help: ArgumentHelp("A log. (default: the records of the running daemon)", valueName: "file"))
    var log: String?

    @Option(help: ArgumentHelp("The file to write, or - for standard output.", valueName: "file"))
    var har: String

    @OptionGroup var options: ClientOptions

    func validate() throws {
        if let log, FileManager.default.isSameFile(log, har) {
            throw ValidationError("\(har) is the log, which the archive would replace. Choose another file with --har.")
        }
        if log != nil, options.url != nil {
            throw ValidationError("--url names a daemon, and the records come from a log: leave out one of them.")
        }
    }

    /// Needs a daemon only if no log is given.
    func run() throws {
        guard let log else { return try runWithDaemon() }
        try write(LogReader.records(in: log))
    }

    func run(_ daemon: DaemonClient) throws {
        try write(LogReader.records(of: daemon))
    }

    private func write(_ records: [TrafficRecord]) throws {
        var document = HARDocument(version: BridgeServer.version)
        for record in records { document.add(record) }
        guard har != "-" else { return Terminal.print(document) }
        do {
            try FileManager.default.writePrivately(document.text, to: har)
        } catch {
            throw CommandFailure("\(har) cannot be written: \(error.localizedDescription)", .usage)
        }
    }
}
