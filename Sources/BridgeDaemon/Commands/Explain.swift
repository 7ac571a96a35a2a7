import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeTraffic
import EmulatedApp

/// `bridged explain`
struct Explain: ClientCommand {
    static let configuration = clientConfiguration(
        "explain", "Say why the emulated app made its latest visits, and who requested what.",
        """
        For each visit: what caused it, which rules moved which stack, each request with what made it, what became of the \
        response that followed a form (and with it of the server's flash), and what the neighbouring releases and the other \
        platform do from the same screens. Requests are known if the browser is driven.

        Examples:
          bridged explain
          bridged explain /items/1 --last 1
          bridged explain --json | jq '.visits[].findings[]'
        """)

    @Argument(help: ArgumentHelp("Only visits of this URL, or path of the app.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("How many visits, the latest ones.", valueName: "count"))
    var last = 3

    @OptionGroup var options: ClientOptions

    func validate() throws {
        guard last > 0 else { throw ValidationError("--last must be at least 1, found \(last).") }
    }

    func run(_ daemon: DaemonClient) throws {
        let params = [
            url.map { JSONValue.Member("url", .string($0)) }, JSONValue.Member("last", .number(Double(last))),
        ].compactMap(\.self)
        let answer = try daemon.call("visits.explain", params)
        guard !options.json else { return Terminal.print(answer) }
        var texts: [String] = []
        answer["visits"]?.forEachElement { texts.append(ReadableVisit($0).text) }
        guard !texts.isEmpty else {
            let about = url.map { " of \($0)" } ?? ""
            return Terminal.print(TerminalText.escape("The app has made no visit\(about) yet."))
        }
        Terminal.print(texts.joined(separator: "\n\n"))
    }
}
