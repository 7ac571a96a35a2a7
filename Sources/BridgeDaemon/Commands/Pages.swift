import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeTraffic

struct Pages: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "pages",
        abstract: "List the pages that are attached.",
        discussion: """
            Examples:
              bridged pages
              bridged pages --json | jq -r .frame.url

            \(ExitCodes.text)
            """)

    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        let pages = try daemon.call("pages.list")["pages"] ?? .null
        if pages.count == 0, !options.json {
            Terminal.complain("No page is attached. Put this first into its <head>: \(daemon.scriptTag)")
        }
        pages.forEachElement { page in
            options.json ? Terminal.print(page) : Terminal.print(PageLine(page).text)
        }
    }
}

/// A page as one line for people.
struct PageLine {
    let text: String

    init(_ page: JSON) {
        func text(_ key: String) -> String { page[key]?.string ?? "" }
        var parts = [text("page"), text("webView"), page["frame"]?["url"]?.string ?? ""]
        if !text("title").isEmpty { parts.append((page["title"] ?? .null).text) }
        if page["frame"]?["isMainFrame"]?.bool == false { parts.append("(frame)") }
        parts.append(page["attached"]?.bool == false ? "away" : text("readyState"))
        self.text = parts.map(TerminalText.escape).joined(separator: "  ")
    }
}
