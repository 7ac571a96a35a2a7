import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// `bridged mcp` as a client meets it: no daemon runs, and a tool starts one with a page in a browser.
@Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct MCPTests {
    @Test func startsADaemonWithAPage() async throws {
        let site = try await StaticApp("<!doctype html><title>Shop</title><button>Buy</button>")
        let folder = try TemporaryFolder()
        let calls: [(name: String, arguments: JSONValue)] = [
            ("app_state", [:]),
            ("daemon_start", ["url": .string(site.url), "in": "chromium", "port": "0"]),
            ("daemon_start", [:]),
            ("pages_wait", ["until": "load"]),
            ("script_evaluate", ["source": "({ title: document.title })"]),
            ("doctor", [:]),
            ("daemon_stop", [:]),
            ("app_state", [:]),
            ("daemon_start", ["url": .string(site.url), "in": "lynx"]),
        ]
        let input = Pipe()
        let server = try RunningDaemon(
            [], environment: ["XDG_RUNTIME_DIR": folder.path("")], command: "mcp", input: input)
        var lines = server.lines.makeAsyncIterator()
        var results: [JSON?] = []
        for (index, call) in calls.enumerated() {
            let params: JSONValue = ["name": .string(call.name), "arguments": call.arguments]
            let request = #"{"jsonrpc":"2.0","id":\#(index),"method":"tools/call","params":\#(params.text)}"#
            try input.fileHandleForWriting.write(contentsOf: Data((request + "\n").utf8))
            results.append(try await JSON.parse(#require(lines.next()))["result"])
        }
        try input.fileHandleForWriting.close()
        #expect(try await server.exitStatus() == 0)
        #expect(results.map { $0?["isError"]?.bool } == [true, false, false, false, false, false, false, true, true])
        func text(_ index: Int) -> String { results[index]?["content"]?[0]?["text"]?.string ?? "" }
        #expect(text(0).contains("daemon_start"))
        #expect(text(2).contains("runs already"))
        #expect(results[4]?["structuredContent"]?["value"]?["title"]?.string == "Shop")
        #expect(results[5]?["structuredContent"]?["findings"]?[0]?["severity"]?.string != nil)
        #expect(text(8).contains("lynx"))
    }
}
