import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Foundation
import Synchronization

/// `bridged log export`
struct LogExport: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write traffic as an HTTP Archive, which browsers' developer tools import.",
        discussion: """
            Each page is a WebSocket, its records are that socket's messages: in Chrome, open the Network panel and drop \
            the file there.

            Examples:
              bridged log export traffic.ndjson --har traffic.har
              bridged log export --har - | jq '.log.entries[0]._webSocketMessages'

            \(ExitCodes.text)
            """)

    @Argument(help: ArgumentHelp("A log; without one, what the running daemon keeps.", valueName: "file"))
    var log: String?

    @Option(help: ArgumentHelp("Where to write it; - for standard output.", valueName: "file"))
    var har: String

    @OptionGroup var options: ClientOptions

    /// A log needs no daemon.
    func run() throws {
        guard let log else { return try runWithDaemon() }
        try write(LogReader.records(in: log))
    }

    func run(_ daemon: DaemonClient) throws {
        let records = Mutex<[JSON]>([])
        try daemon.readLines(of: "traffic", query: []) { line in
            guard let json = try? JSON.parse(String(decoding: line, as: UTF8.self)) else { return }
            records.withLock { $0.append(json) }
        }
        try write(records.withLock(\.self))
    }

    private func write(_ records: [JSON]) throws {
        var document = HARDocument(version: BridgeServer.version)
        for record in records { document.add(record) }
        guard har != "-" else { return Terminal.print(document.text) }
        do {
            try Data(document.text.utf8).write(to: URL(fileURLWithPath: har))
        } catch {
            throw CommandFailure("\(har) can't be written: \(error.localizedDescription)", .usage)
        }
    }
}
