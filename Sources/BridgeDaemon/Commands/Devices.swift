import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeTraffic

/// `bridged devices`
struct Devices: ClientCommand {
    static let configuration = clientConfiguration(
        "devices", "List the attached pages of real apps.",
        """
        Each line is followed by the latest message of the page. bridged test --on d1 runs flows in the pages of one.

        Examples:
          bridged devices
          bridged devices --json | jq -r '.model + " " + .system'
        """)

    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        let list = try daemon.call("pages.list", expecting: ["pages"])
        let pages = (list["pages"]?.elements ?? []).filter { $0["device"]?.bool == true }
        if pages.isEmpty, !options.json {
            Terminal.printError(
                "No page of a real app is attached. Put this first into its <head>: \(daemon.scriptTag)")
        }
        for page in pages {
            let message = try latestMessage(of: page["page"]?.string ?? "", daemon)
            guard !options.json else {
                printJSON(page, message)
                continue
            }
            Terminal.print(PageLine(page).text)
            let lines = message.map { Terminal.readable.text(ofLine: $0).split(separator: "\n") }
            if let line = lines?.first { Terminal.printTraffic("    \(line)") }
        }
    }

    /// The line of the record, if the daemon still has one.
    private func latestMessage(of page: String, _ daemon: DaemonClient) throws -> String? {
        var found: String?
        try daemon.readLines(of: "traffic", query: ["filter": "kind:message", "page": page, "last": "1"]) {
            found = String(decoding: $0, as: UTF8.self)
        }
        return found
    }

    private func printJSON(_ page: JSON, _ message: String?) {
        var writer = JSONWriter()
        writer.object { writer in
            page.forEachMember { writer.member(named: $0, $1) }
            writer.member("lastMessage", ifPresent: message.flatMap { try? JSON.parse($0) })
        }
        Terminal.printJSON(writer.text)
    }
}
