import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeTraffic

/// `bridged info`
struct Info: ClientCommand {
    static let configuration = clientConfiguration(
        "info", "Show the daemon, its counters, handlers, stubs and faults.",
        """
        Examples:
          bridged info
          bridged info --json | jq .counters.records
        """)

    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        let info = try daemon.call("daemon.info", expecting: ["version", "url", "counters"])
        let handlers = try daemon.call("handlers.list", expecting: ["handlers"])["handlers"] ?? .null
        let faults = try daemon.call("faults.list", expecting: ["faults"])["faults"] ?? .null
        let nodes = info["cluster"] == nil ? .null : try daemon.call("nodes.list")["nodes"] ?? .null
        guard !options.json else { return printJSON(info, handlers, faults, nodes) }
        let seconds = Int(exactly: ((info["uptimeMs"]?.number ?? 0) / 1_000).rounded(.down)) ?? 0
        Terminal.print(
            TerminalText.escape(
                "bridged \(info["version"]?.string ?? "") at \(info["url"]?.string ?? ""), "
                    + "process \(info["pid"]?.text ?? ""), up \(Info.duration(seconds))"))
        info["counters"]?.forEachMember { name, count in
            Terminal.print(TerminalText.escape("  \(name) \(count.text)"))
        }
        if let cluster = info["cluster"] { Terminal.print(Info.line(ofCluster: cluster)) }
        nodes.forEachElement { Terminal.print(Info.line(ofNode: $0)) }
        handlers.forEachElement { Terminal.print(Info.line($0)) }
        handlers.forEachElement { handler in
            handler["stubs"]?.forEachElement { Terminal.print(TerminalText.escape("  stub \($0.text)")) }
        }
        faults.forEachElement { Terminal.print(TerminalText.escape("  fault \($0.text)")) }
    }

    private func printJSON(_ info: JSON, _ handlers: JSON, _ faults: JSON, _ nodes: JSON) {
        var writer = JSONWriter()
        writer.object { writer in
            info.forEachMember { writer.member(named: $0, $1) }
            writer.member("handlers", handlers)
            writer.member("faults", faults)
            if !nodes.isNull { writer.member("nodes", nodes) }
        }
        Terminal.printJSON(writer.text)
    }

    private static func duration(_ seconds: Int) -> String {
        seconds < 60 ? "\(seconds) s" : seconds < 3_600 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
    }

    private static func line(ofCluster cluster: JSON) -> String {
        TerminalText.escape(
            "  cluster \(cluster["name"]?.string ?? ""): \(cluster["redis"]?.string ?? "") is "
                + "\(cluster["state"]?.string ?? ""), \(cluster["waitingRecords"]?.text ?? "0") records wait for it")
    }

    private static func line(ofNode node: JSON) -> String {
        TerminalText.escape(
            "  node \(node["node"]?.string ?? ""): \(node["url"]?.string ?? "") on \(node["host"]?.string ?? ""), "
                + "process \(node["pid"]?.text ?? ""), pages \(node["pages"]?.text ?? "0")")
    }

    private static func line(_ handler: JSON) -> String {
        let kind = handler["kind"]?.string == "stub" ? "stub only" : "built in"
        let webView = handler["webView"]?.string.map { ", in \($0)" } ?? ""
        let replies = handler["replies"]?.bool == true ? ", replies" : ""
        let name = handler["handler"]?.string ?? ""
        let count = handler["messages"]?.text ?? "0"
        return TerminalText.escape(
            "  handler \(name): \(kind)\(webView)\(replies), \(count) message\(count == "1" ? "" : "s")")
    }
}
