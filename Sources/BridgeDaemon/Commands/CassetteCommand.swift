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
        guard !append, FileManager.default.fileExists(atPath: file) else { return }
        throw ValidationError(
            "\(TerminalText.escape(file)) exists. Add what it lacks with --append, or name another file.")
    }

    /// Needs a daemon only if no log is given.
    func run() throws {
        guard let from else { return try runWithDaemon() }
        let tape = try CassetteTape(path: file, adding: append)
        let records = try LogReader.records(in: from)
        for record in records { _ = tape.note(record) }
        try tape.write()
        guard tape.entryCount > 0 || append else {
            throw CommandFailure(
                "\(from) has no messages of pages in an app of their own, so \(file) is not written. Only what a real app "
                    + "answers is recorded: attach its pages, as docs/notes/devices.md says.", .failed)
        }
        print(tape)
    }

    func run(_ daemon: DaemonClient) throws {
        let tape = try CassetteTape(path: file, adding: append)
        // What follows this record is recorded, and the pages that attached before.
        let last = try LogReader.records(of: daemon, ["last": "1"]).last?.record ?? 0
        let pages = try LogReader.records(of: daemon, ["filter": "kind:page"])
        for record in pages where record.record <= last { _ = tape.note(record) }
        if !options.json { Terminal.print("Recording. Use the app; Ctrl-C ends.") }
        var count = 0
        try daemon.readLines(of: "traffic", query: ["after": "\(last)", "follow": "1"]) { line in
            guard let record = TrafficRecord(line: line) else { return }
            do { try tape.add(record) } catch { fail(error) }
            if tape.entryCount > count { print(tape) }
            count = tape.entryCount
        }
    }

    /// Ends the process: the closure above cannot throw.
    private func fail(_ error: any Error) -> Never {
        let failure = error as? CommandFailure ?? CommandFailure("\(error)", .failed)
        failure.report(asJSON: options.json)
        Foundation.exit(failure.code.rawValue)
    }

    private func print(_ tape: CassetteTape) {
        if options.json {
            Terminal.print(
                ["file": .string(file), "entries": .number(Double(tape.entryCount))] as JSONValue)
        } else {
            Terminal.print("\(TerminalText.escape(file)): \(tape.entryCount) \(append ? "new " : "")entries")
        }
    }
}
