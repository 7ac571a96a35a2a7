import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeTraffic

/// `bridged pages`
struct Pages: ClientCommand {
    static let configuration = clientConfiguration(
        "pages", "List the attached pages.",
        """
        Examples:
          bridged pages
          bridged pages --json | jq -r .frame.url
        """)

    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        let list = try daemon.call("pages.list", expecting: ["pages"])
        let pages = list["pages"] ?? .null
        if let text = list["incomplete"]?.string { Terminal.printError("bridged: \(TerminalText.escape(text))") }
        if pages.count == 0, !options.json {
            Terminal.printError("No page is attached. Put this first into its <head>: \(daemon.scriptTag)")
        }
        pages.forEachElement { page in
            if options.json { Terminal.print(page) } else { Terminal.print(PageLine(page).text) }
        }
    }
}

extension DaemonClient {
    /// The script tag that lets a page attach.
    var scriptTag: String {
        let token = contact.pageToken.map { "?token=\($0)" } ?? ""
        return "<script src=\"\(contact.url)bridge.js\(token)\"></script>"
    }
}

/// A page as one line for people.
struct PageLine {
    let text: String

    /// - Parameter page: an element of `pages.list`.
    init(_ page: JSON) {
        func text(_ key: String) -> String { page[key]?.string ?? "" }
        var parts = [text("page"), text("webView"), page["frame"]?["url"]?.string ?? ""]
        if !text("title").isEmpty { parts.append((page["title"] ?? .null).text) }
        if page["frame"]?["isMainFrame"]?.bool == false { parts.append("(frame)") }
        if let engine = page["engine"]?.string { parts.append("(\(engine))") }
        if page["device"]?.bool == true {
            let known = ["deviceId", "model", "system", "framework"].map(text).filter { !$0.isEmpty }
            parts.append("(\((["observed"] + known).joined(separator: ", ")))")
        }
        parts.append(page["attached"]?.bool == false ? "away" : text("readyState"))
        self.text = parts.map(TerminalText.escape).joined(separator: "  ")
    }
}
