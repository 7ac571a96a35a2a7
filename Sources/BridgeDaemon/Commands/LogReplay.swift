import ArgumentParser
import BridgeClient
import BridgeProtocol
import Foundation

/// `bridged log replay`
struct LogReplay: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play a log's pages to the running daemon, and compare what native code calls.",
        discussion: """
            Each page of the log attaches again and posts what it posted; evaluations get the results that they had. Ids \
            and times may differ; all else that native code asks of a page must be as recorded: a regression test for \
            handlers.

            Examples:
              bridged log replay traffic.ndjson
              bridged log replay traffic.ndjson --ignore /source --ignore '/arguments/*/at'

            \(ExitCodes.text)
            """)

    @Argument(help: ArgumentHelp("A log that `bridged serve --log` wrote.", valueName: "file"))
    var log: String

    @Option(
        help: ArgumentHelp(
            "What may differ: a JSON Pointer into a call, such as /source or /value/at; * is any one part. May be repeated.",
            valueName: "path"))
    var ignore: [String] = []

    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        var ignored: [JSONPointer] = []
        for path in ignore {
            guard let pointer = JSONPointer(path) else {
                throw CommandFailure("'\(path)' is no JSON Pointer. Give one like /source or /arguments/0.", .usage)
            }
            ignored.append(pointer)
        }
        let pages = RecordedPage.pages(in: try LogReader.records(in: log))
        var differences: [(page: RecordedPage, difference: PageReplay.Difference)] = []
        for page in pages {
            let replay = try PageReplay(page, to: daemon.contact)
            differences += try replay.differences(ignoring: ignored).map { (page, $0) }
        }
        try report(pages, differences)
    }

    private func report(
        _ pages: [RecordedPage], _ differences: [(page: RecordedPage, difference: PageReplay.Difference)]
    ) throws {
        for (page, found) in differences {
            let place = found.difference.place.description
            Terminal.print(
                """
                \(page.page), \(found.what)\(place.isEmpty ? "" : " at \(place)")
                    recorded  \(found.difference.recorded)
                    now       \(found.difference.now)
                """)
        }
        let messages = pages.flatMap(\.messages)
        let redacted = messages.count(where: \.isRedacted)
        let calls = pages.reduce(0) { $0 + $1.calls.count } + messages.count { $0.reply != nil }
        if redacted > 0 {
            Terminal.print("\(redacted) messages went as the log has them, with secrets left out.")
        }
        Terminal.print(
            "\(messages.count) messages of \(pages.count) pages replayed; \(calls) calls compared, "
                + "\(differences.count) differences.")
        if !differences.isEmpty { throw ExitCode(CommandFailure.Code.failed.rawValue) }
    }
}
