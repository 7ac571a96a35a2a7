import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeTraffic
import Foundation

/// `bridged cassette`
struct CassetteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cassette", abstract: "Record what a real app answers, for tests without it.",
        subcommands: [CassetteRecord.self])
}

/// `bridged cassette record`
struct CassetteRecord: ClientCommand {
    static let configuration = clientConfiguration(
        "record", "Write what a real app's native code answers to its pages, until Ctrl-C.",
        """
        The pages are those with the script tag in an app of its own, in a simulator or on a phone. Secrets are left out as in \
        the log. bridged test --cassette FILE answers from the file; docs/notes/cassettes.md describes it.

        Examples:
          bridged cassette record phone.yml
          bridged cassette record phone.yml --from traffic.ndjson
          bridged cassette record phone.yml --append         # only what it lacks
        """)

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("Read a log, instead of a running daemon's traffic.", valueName: "log"))
    var from: String?

    @Flag(help: "Add what the file lacks.")
    var append = false

    @OptionGroup var options: ClientOptions

    func validate() throws {
        if from != nil, options.url != nil {
            throw ValidationError("--url names a daemon, and the records come from a log: leave out one of them.")
        }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw ValidationError(
                TerminalText.escape("\(file) cannot be written: there is no folder \(folder). Make it first."))
        }
        guard !append, FileManager.default.fileExists(atPath: file) else { return }
        throw ValidationError(
            "\(TerminalText.escape(file)) exists. Add what it lacks with --append, or name another file.")
    }

    /// Needs a daemon only if no log is given.
    func run() throws {
        guard let from else { return try runWithDaemon() }
        let records = try LogReader.records(in: from)
        let session = try CassetteSession(
            path: file, adding: append, json: options.json,
            nothing: "\(from) has no messages of pages in an app of their own")
        try session.run { for record in records { session.note(record) } }
    }

    func run(_ daemon: DaemonClient) throws {
        let session = try CassetteSession(
            path: file, adding: append, json: options.json, nothing: "No page in an app of its own has posted a message"
        )
        // What follows this record is recorded, and the pages that attached before.
        let last = try LogReader.records(of: daemon, ["last": "1"]).last?.record ?? 0
        let pages = try LogReader.records(of: daemon, ["filter": "kind:page"])
        for record in pages where record.record <= last { session.note(record) }
        try session.run {
            if !options.json { Terminal.print("Recording. Use the app; Ctrl-C ends.") }
            try daemon.readLines(of: "traffic", query: ["after": "\(last)", "follow": "1"]) { line in
                if let record = TrafficRecord(line: line) { session.add(record) }
            }
        }
    }
}
