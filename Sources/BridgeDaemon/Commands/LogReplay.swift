import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeTraffic

/// `bridged log replay`
struct LogReplay: ClientCommand {
    static let configuration = clientConfiguration(
        "replay", "Replay a log's pages to the running daemon, and compare what native code calls.",
        """
        Each page of the log attaches again, posts the same messages, and gives evaluations the same results. \
        Everything that native code asks of a page must be as recorded, apart from ids and times: a regression test \
        for handlers.

        Examples:
          bridged log replay traffic.ndjson
          bridged log replay traffic.ndjson --ignore /source --ignore '/arguments/*/at'
        """)

    @Argument(help: ArgumentHelp("A log that `bridged serve --log` wrote.", valueName: "file"))
    var log: String

    @Option(
        help: ArgumentHelp(
            "A part of a call that may differ, as a JSON Pointer such as /source or /value/at; * is any one part. May be repeated.",
            valueName: "path"))
    var ignore: [String] = []

    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        let ignored = try ignore.map { path in
            guard let pointer = JSONPointer(path) else {
                throw CommandFailure(
                    "'\(path)' is not a JSON Pointer. Give one like /source or /arguments/0.", .usage)
            }
            return pointer
        }
        let pages = RecordedPage.pages(in: try LogReader.records(in: log))
        var differences = 0
        for page in pages {
            for found in try PageReplay(page, to: daemon.contact).differences(ignoring: ignored) {
                differences += 1
                guard !options.json else {
                    Terminal.print(LogReplay.json(page, found.what, found.difference))
                    continue
                }
                let place = found.difference.place.description
                Terminal.print(
                    """
                    \(TerminalText.escape("\(page.page), \(found.what)"))\(place.isEmpty ? "" : " at \(TerminalText.escape(place))")
                        recorded  \(found.difference.recorded)
                        now       \(found.difference.now)
                    """)
            }
        }
        printSummary(pages, differences)
        if differences > 0 { throw ExitCode(CommandFailure.Code.failed.rawValue) }
    }

    private static func json(_ page: RecordedPage, _ what: String, _ difference: JSONDifference) -> JSONValue {
        .object(
            .texts([
                "page": page.page, "what": what, "place": difference.place.description,
                "recorded": difference.recorded, "now": difference.now,
            ]))
    }

    private func printSummary(_ pages: [RecordedPage], _ differences: Int) {
        let messages = pages.flatMap(\.messages)
        let redacted = messages.count(where: \.isRedacted)
        let calls = pages.reduce(0) { $0 + $1.calls.count } + messages.count { $0.reply != nil }
        guard !options.json else {
            let counts = [
                ("messages", messages.count), ("pages", pages.count), ("calls", calls), ("redacted", redacted),
            ]
            return Terminal.print(
                JSONValue.object(
                    (counts + [("differences", differences)]).map { .init($0, .number(Double($1))) }))
        }
        if redacted > 0 { Terminal.print("\(redacted) messages were sent as recorded, without their secrets.") }
        Terminal.print(
            "\(messages.count) messages of \(pages.count) pages replayed; \(calls) calls compared, "
                + "\(differences) differences.")
    }
}
