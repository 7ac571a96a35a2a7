import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import BridgeDaemon

/// Numbers at which arithmetic and conversions fail, in every place where a client, a file or a person gives one. After
/// them the daemon must still answer.
@Suite(.timeLimit(.minutes(2))) struct NumberTests {
    /// Around the ends of `Int`, of the whole numbers that a double holds, and of the doubles.
    private static let numbers = [
        "0", "-1", "0.5", "9007199254740991", "9007199254740993", "9223372036854775807", "-9223372036854775808",
        "1e308", "-1e308", "1e999",
    ]

    private struct Fixture {
        let daemon: RunningDaemon
        let tool: ControlClient
        let page: PageClient
        var port: UInt16 { tool.port }

        init() async throws {
            daemon = try RunningDaemon("--port", "0", "--json")
            let listening = try await daemon.listening()
            tool = try ControlClient(port: listening.port, discoveryFile: listening.discoveryFile)
            page = try await PageClient.attach(port: listening.port).0
        }

        /// Checks that the daemon has survived, and that it still serves the page.
        func check(after what: String, _ seq: Int = 1) async throws {
            await page.post("1", seq: seq)
            while try await page.next("method", "page.ack")["params"]?["seq"]?.number != Double(seq) {}
            #expect(try await tool.call("daemon.info")["name"]?.string == "bridged", "\(what)")
        }
    }

    // MARK: Tools

    @Test func answersEveryNumber_inEveryParamOfEveryMethod() async throws {
        let fixture = try await Fixture()
        let document = try JSON.parse(try await fixture.tool.get("/openrpc.json").body)
        let tool = try await fixture.tool.connect()
        let methods = try #require(document["methods"]).elements
        #expect(methods.count > 15)
        for method in methods {
            let name = method["name"]?.string ?? ""
            for param in method["params"]?.elements ?? [] where param["name"]?.string != nil {
                let calls = Self.numbers.map { number in
                    let params = Self.params(of: method, with: param["name"]?.string ?? "", is: number)
                    return #"{"jsonrpc":"2.0","id":1,"method":"\#(name)","params":\#(params)}"#
                }
                let last = #"{"jsonrpc":"2.0","id":"last","method":"daemon.info"}"#
                tool.send("[\((calls + [last]).joined(separator: ","))]")
                _ = try await tool.next("id", "last")
            }
        }
        try await fixture.check(after: "all methods")
    }

    /// The params of a call: the required ones, a short time limit, and the one under test.
    private static func params(of method: JSON, with name: String, is number: String) -> String {
        var params: [String: String] = [:]
        for param in method["params"]?.elements ?? [] {
            guard let key = param["name"]?.string else { continue }
            if param["required"]?.bool == true { params[key] = sample(param["schema"] ?? .null) }
            if key == "timeoutMs" { params[key] = "1" }
        }
        params[name] = number
        return "{\(params.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
    }

    private static func sample(_ schema: JSON) -> String {
        if schema["oneOf"] != nil { return #"{"echo":true}"# }
        switch schema["type"]?.string {
        case "string": return "\"x\""
        case "object": return "{}"
        case "boolean": return "true"
        default: return "1"
        }
    }

    @Test func answersEveryNumber_inEveryArgumentOfEveryAction() async throws {
        let fixture = try await Fixture()
        let actions = try #require(try await fixture.tool.call("app.actions")["actions"]).elements
        #expect(actions.count > 20)
        for action in actions {
            let names = ["required", "optional"].flatMap { (action[$0]?.elements ?? []).compactMap(\.string) }
            for number in names.isEmpty ? [] : Self.numbers + ["nan", "inf"] {
                let arguments = names.map { ",\"\($0)\":\"\(number)\"" }.joined()
                _ = try await fixture.tool.response(
                    "app.perform", "{\"action\":\"\(action["action"]?.string ?? "")\",\"wait\":false\(arguments)}")
            }
        }
        try await fixture.check(after: "all actions")
    }

    @Test(arguments: [
        "/traffic?after=", "/traffic?last=", "/traffic?last=5&after=", "/traffic?since=",
        "/traffic?kind=problem&after=",
        "/bridge.js?web-view=",
    ])
    func answersEveryNumber_inTheQuery(of path: String) async throws {
        let fixture = try await Fixture()
        for number in Self.numbers {
            let response = try await fixture.tool.get(path + number)
            #expect([200, 400, 404].contains(response.status), "\(path)\(number)")
        }
        for number in Self.numbers where path.hasPrefix("/traffic") {
            _ = try await HTTPDownload(
                path: "\(path)\(number)&follow=1", port: fixture.port,
                headers: ["Authorization: Bearer \(fixture.tool.token)"])
        }
        try await fixture.check(after: path)
    }

    @Test func answersEveryNumber_inHeaders() async throws {
        let fixture = try await Fixture()
        for number in Self.numbers {
            for header in ["Content-Length", "Sec-WebSocket-Version"] {
                let isUpgrade = header != "Content-Length"
                let connection = isUpgrade ? ["Upgrade: websocket", "Connection: Upgrade"] : ["Connection: close"]
                let lines =
                    [
                        isUpgrade ? "GET /page HTTP/1.1" : "POST /beacon HTTP/1.1", "Host: localhost",
                        "Origin: http://localhost", "\(header): \(number)",
                    ] + connection + ["", ""]
                _ = try await HTTPClient.exchange(lines.joined(separator: "\r\n"), port: fixture.port)
            }
        }
        try await fixture.check(after: "all headers")
    }

    // MARK: Pages

    /// Messages of a page, with `NUM` for the number.
    private static let messages = [
        PageClient.attach(document: "d", webView: "n").replacing("\"waiting\":[]", with: "\"waiting\":[NUM]"),
        PageClient.attach(document: "d", webView: "n").replacing(
            "\"waiting\":[]", with: "\"previous\":{\"document\":\"d-1\",\"seq\":NUM}"),
        PageClient.attach(document: "d", webView: "n").replacing("\"id\":\"attach\"", with: "\"id\":NUM"),
        #"{"jsonrpc":"2.0","method":"message.post","params":{"seq":NUM,"handler":"nativeApp","body":{"name":NUM}}}"#,
        #"{"jsonrpc":"2.0","id":NUM,"method":"message.post","params":{"seq":1,"handler":"nobody","body":NUM}}"#,
        #"{"jsonrpc":"2.0","method":"page.update","params":{"status":NUM}}"#,
        #"{"jsonrpc":"2.0","method":"console.entry","params":{"level":"log","text":"x","kind":"console","line":NUM,"column":NUM}}"#,
        #"{"jsonrpc":"2.0","id":NUM,"result":{"value":NUM}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":NUM,"message":"x"}}"#,
        #"{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"x","data":{"timeoutMs":NUM}}}"#,
        #"{"jsonrpc":"2.0","id":ID,"error":{"code":4,"message":"x","data":{"line":NUM,"column":NUM}}}"#,
        #"{"jsonrpc":"2.0","id":ID,"error":{"code":-32006,"message":"x","data":{"limit":NUM}}}"#,
        #"{"jsonrpc":"2.0","id":NUM,"method":"interface.call","params":{"seq":NUM,"handler":"a","method":"b","body":[NUM]}}"#,
    ]

    @Test func answersEveryNumber_inEveryMessageOfAPage() async throws {
        let fixture = try await Fixture()
        for (index, message) in Self.messages.enumerated() {
            for (turn, number) in Self.numbers.enumerated() {
                let document = "d-\(index)-\(turn)"
                let isAttach = message.contains("page.attach")
                let page = try await PageClient(port: fixture.port)
                if !isAttach {
                    await page.sendAttach(document: document, webView: "n")
                    _ = try await page.next("id", "attach")
                }
                var text = message.replacing("NUM", with: number).replacing("\"d\"", with: "\"\(document)\"")
                if message.contains("ID") {
                    // The page answers an evaluation, whose result the tool gets.
                    async let result = fixture.tool.response(
                        "script.evaluate", #"{"webView":"n","source":"1","timeoutMs":2000}"#)
                    let id = try await page.next("method", "script.evaluate")["id"]?.text ?? ""
                    text = message.replacing("ID", with: id).replacing("NUM", with: number)
                    page.send(text)
                    _ = try await result
                } else {
                    page.send(text)
                }
                page.close(1001)
                _ = await page.closeCode()
            }
        }
        try await fixture.check(after: "all messages")
    }

    @Test func answersEveryNumber_inEveryRequestOfAPage() async throws {
        let fixture = try await Fixture()
        let attach = PageClient.attach(document: "d", webView: "n")
        let params = try #require(try JSON.parse(attach)["params"]).text
        let post = Self.messages[3]
        let call = Self.messages[12]
        for (turn, number) in Self.numbers.enumerated() {
            let requests = [
                ("/beacon", "{\"document\":\"d\",\"attach\":\(params),\"messages\":[\(post)]}"),
                ("/call", "{\"document\":\"d\",\"attach\":\(params),\"status\":NUM,\"messages\":[\(post)]}"),
                ("/call", "{\"document\":\"d\",\"attach\":\(params),\"status\":NUM,\"messages\":[\(call)]}"),
            ]
            for (path, body) in requests {
                let response = try await HTTPClient.request(
                    "POST", path: path, port: fixture.port,
                    headers: ["Origin: http://localhost", "Content-Type: application/json"],
                    body: body.replacing("NUM", with: number).replacing("\"d\"", with: "\"\(path)-\(turn)\""))
                #expect([200, 204, 400].contains(response.status), "\(path) \(number): \(response)")
            }
        }
        try await fixture.check(after: "all requests")
    }

    // MARK: Settings

    /// The names of all options of `serve` that take a value, as its help lists them.
    private static func options() -> [String] {
        ServeOptions.helpMessage().split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^\s+--([a-z-]+) </).map { String($0.1) }
        }
    }

    @MainActor @Test func readsOrRefusesEveryNumber_inEverySetting() async throws {
        let names = Self.options().filter { $0 != "config" }
        #expect(names.contains("port") && names.contains("max-errors") && names.contains("keep"))
        let folder = try TemporaryFolder()
        var flags = try ServeOptions.parse([])
        flags.config = folder.path("bridged.yml")
        let file = URL(fileURLWithPath: folder.path("bridged.yml"))
        for name in names {
            let unit = name.contains("bytes") ? "MiB" : name.contains("timeout") ? "m" : name == "keep" ? "d" : ""
            for number in Self.numbers + ["nan", "inf", "-inf"] {
                for text in Set([number, number + unit]) {
                    try Data("\(name): \(text)".utf8).write(to: file)
                    do { _ = try ServeConfiguration(flags) } catch {
                        #expect("\(error)".contains(name), "\(name): \(text)")
                    }
                }
            }
            await Task.yield()
        }
    }

    @Test(arguments: [
        ["--pong-timeout", "1e9s", "--handshake-timeout", "1e9s", "--reply-timeout", "1e9s"],
        ["--pong-timeout", "10ms", "--handshake-timeout", "10ms", "--reply-timeout", "0s"], ["--keep", "36500d"],
        ["--keep", "1"],
        ["--max-connections", "1000000", "--max-waiting-messages", "1000000", "--max-waiting-bytes", "1024MiB"],
        ["--max-errors", "1", "--max-waiting-calls", "1", "--max-message-bytes", "1KiB", "--max-nesting", "8"],
    ])
    func servesWithTheEndsOfEveryRange(_ arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let common = ["--port", "0", "--json", "--database", folder.path("traffic.db")]
        let daemon = try RunningDaemon(common + arguments)
        let listening = try await daemon.listening()
        #expect(try await HTTPClient.request(path: "/health", port: listening.port).status == 200)
    }

    // MARK: Log files

    /// Lines of a log, with `NUM` for the number.
    private static let lines = [
        #"{"record":NUM,"time":"TIME","page":"p1","direction":"toNative","kind":"message","handler":"h","body":NUM,"seq":NUM,"verdict":{"outcome":"handled"}}"#,
        #"{"record":1,"time":"TIME","page":"p1","direction":"toWeb","kind":"reply","handler":"h","seq":NUM,"value":NUM,"durationMs":NUM,"verdict":{"outcome":"replied"}}"#,
        #"{"record":1,"time":"TIME","page":"p1","direction":"toWeb","kind":"evaluate","id":NUM,"source":"1"}"#,
        #"{"record":1,"time":"TIME","page":"p1","direction":"toNative","kind":"result","id":NUM,"value":NUM,"durationMs":NUM}"#,
        #"{"record":1,"time":"TIME","page":"p1","direction":"toNative","kind":"console","level":"log","text":"x","entry":"console","line":NUM,"column":NUM}"#,
        #"{"record":1,"time":"TIME","page":"p1","direction":"toNative","kind":"problem","code":"c","text":"t","about":NUM}"#,
        #"{"record":1,"time":"TIME","page":"p1","direction":"toNative","kind":"gap","count":NUM}"#,
    ]

    @Test func exportsALogWithEveryNumber() async throws {
        let folder = try TemporaryFolder()
        var lines: [String] = []
        for number in Self.numbers {
            for time in ["-271821-04-20T00:00:00Z", "+275760-09-13T00:00:00Z", "2026-11-22T10:00:00Z"] {
                lines += Self.lines.map { $0.replacing("NUM", with: number).replacing("TIME", with: time) }
            }
        }
        // A record's own number must be a whole one; the message about such a line has a test of its own.
        lines.removeAll { (try? JSON.parse($0))?["record"]?.wholeNumber == nil }
        let path = folder.path("log.ndjson")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
        let outcome = try await Executable.run(["log", "export", path, "--har", "-"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try JSON.parse(outcome.output)["log"]?["entries"]?.count ?? 0 > 0)
    }
}
