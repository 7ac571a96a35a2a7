import BridgeClient
import BridgeProtocol
import BridgeServer
import BridgeTraffic
import TestSupport
import Testing

@testable import BridgeDaemon

/// The Model Context Protocol, revision 2025-06-18: what a client sends, and what it has to get.
@Suite(.timeLimit(.minutes(1))) struct MCPServerTests {
    private static let discovered = #"""
        {"methods":[
          {"name":"app.perform","summary":"Performs an action.","params":[
            {"name":"action","summary":"The action.","required":true,"schema":{"type":"string"}}]},
          {"name":"page.snapshot","summary":"Takes a picture.","params":[]},
          {"name":"traffic.subscribe","summary":"Sends records.","params":[]}]}
        """#

    private static func json(_ text: String) -> JSON { (try? JSON.parse(Array(text.utf8))) ?? .null }

    private static var ownTools: MCPOwnTools {
        MCPOwnTools(
            run: { arguments, _ in ("ran \(arguments.joined(separator: " "))", arguments.last != "bad.yml") },
            startDaemon: { arguments, _ in MCPResult("bridged \(arguments.joined(separator: " "))") },
            stopDaemon: { MCPResult("The daemon has ended.") },
            diagnose: { address, _ throws(ClientError) in
                if address.first?.value == "nobody" { throw ClientError.noDaemon(url: nil) } else { [] }
            })
    }

    private static var server: MCPServer {
        MCPServer(
            methods: json(discovered),
            actions: [
                Action("visit", "Routes to a URL.", required: ["url"], optional: ["visitAction"]),
                Action("relaunch", "Starts again.", optional: ["url"]), Action("back", "Goes back."),
            ],
            ownTools: ownTools,
            callMethod: { method, params, _ throws(ClientError) in
                switch method {
                case "page.snapshot": json(#"{"data":"aGk="}"#)
                default:
                    if params.first?.value == "fly" {
                        throw ClientError.error(RPCError(.invalidRequest, "Nobody can fly."))
                    } else {
                        json(#"{"visible":"main"}"#)
                    }
                }
            })
    }

    /// Requests and their answers.
    static let transcript: [(request: String, answer: String)] = [
        (#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#, #"{"jsonrpc":"2.0","id":"a","result":{}}"#),
        (
            #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"app_perform","arguments":{"action":"back"}}}"#,
            #"""
            {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"visible\":\"main\"}"}],\#
            "structuredContent":{"visible":"main"},"isError":false}}
            """#
        ),
        (
            #"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"page_snapshot"}}"#,
            #"""
            {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}}
            """#
        ),
        (
            #"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"test_flow","arguments":{"path":"bad.yml"}}}"#,
            #"""
            {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"ran test -- bad.yml"}],\#
            "structuredContent":{"passed":false},"isError":true}}
            """#
        ),
        (
            #"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"traffic_subscribe"}}"#,
            #"""
            {"jsonrpc":"2.0","id":6,"error":{"code":-32602,\#
            "message":"Invalid params: /name: there is no tool 'traffic_subscribe'; tools/list lists them"}}
            """#
        ),
    ]

    @Test(arguments: transcript)
    func answers(_ request: String, _ answer: String) {
        #expect(Self.response(to: request) == answer)
    }

    /// Without its arguments, a call would do something else.
    @Test(arguments: ["app_perform", "test_flow", "daemon_stop"])
    func refusesArgumentsThatAreNoObject(_ tool: String) {
        for arguments in [#""{\"action\":\"back\"}""#, "[]", "7", "true"] {
            let request =
                #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
            let error = Self.json(Self.response(to: request) ?? "")["error"]
            #expect(error?["code"]?.number == -32602)
            #expect(error?["message"]?.string?.contains("/arguments: expected an object, found") == true)
        }
    }

    /// Such a line is not kept, so that it takes no memory, and the lines after it are answered.
    @Test func refusesALineThatIsTooLong() async throws {
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let script = "(head -c 400000000 /dev/zero; echo; echo; echo '\(ping)') | (ulimit -v 1500000; exec \"$@\")"
        let outcome = try await Executable.run(["mcp"], by: script)
        let answers = try outcome.output.split(separator: "\n").map { try JSON.parse($0) }
        #expect(outcome.status == 0 && answers.map { $0["id"]?.wholeNumber } == [nil, 1])
        #expect(
            answers.first?["error"]?["message"]?.string?.hasPrefix("A request has more than 16777216 bytes") == true)
    }

    private static func answer(to request: String) throws -> JSON {
        try JSON.parse(#require(response(to: request)))
    }

    private static func response(to request: String) -> String? {
        server.answer(to: MCPServer.message(Array(request.utf8)))
    }

    private static func names(_ json: JSON?) -> [String] {
        var names: [String] = []
        json?.forEachElement { names.append($0["name"]?.string ?? "") }
        return names
    }

    /// The tools are known before a daemon runs: a client asks for them when it starts.
    @Test func listsToolsWithoutADaemon() throws {
        let tools = try Self.answer(to: #"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#)["result"]?["tools"]
        #expect(
            Self.names(tools) == [
                "app_perform", "page_snapshot", "doctor", "test_flow", "daemon_start", "daemon_stop",
            ])
        let perform = tools?[0]?["inputSchema"]
        #expect(perform?["required"]?.text == #"["action"]"#)
        #expect(perform?["properties"]?["url"]?["description"]?.string == "Of visit, relaunch.")
        #expect(perform?["properties"]?["visitAction"]?["type"]?.string == "string")
        let action = perform?["properties"]?["action"]?["description"]?.string
        #expect(action?.contains("visit (url, visitAction?): Routes to a URL.") == true)
        let flow = tools?[3]?["inputSchema"]?["properties"]
        #expect(flow?["in"]?["enum"]?.text == #"["webkit","chromium","firefox"]"#)
        #expect(flow?["framework"]?["description"]?.string?.contains("android") == true)
    }

    @Test(arguments: [
        (
            #""test_flow","arguments":{"path":"-a.yml","in":"webkit","framework":"ios@1.2"}"#,
            "ran test --in=webkit --framework=ios@1.2 -- -a.yml"
        ),
        (#""daemon_start""#, "bridged serve"),
        (
            #""daemon_start","arguments":{"url":"http://localhost:3000","in":"firefox","port":0}"#,
            "bridged open --headless --in=firefox --port=0 -- http://localhost:3000"
        ),
        (#""daemon_stop""#, "The daemon has ended."),
    ])
    func runsCommands(_ call: String, _ text: String) throws {
        let request = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":\#(call)}}"#
        #expect(try Self.answer(to: request)["result"]?["content"]?[0]?["text"]?.string == text)
    }

    @Test(arguments: [
        (#""test_flow","arguments":{"path":"a.yml","browser":"firefox"}"#, #"unknown "browser". There are: path, in"#),
        (#""daemon_start","arguments":{"rootUrl":"http://localhost:3000"}"#, #"Did you mean "rootURL"?"#),
        (#""doctor","arguments":{"webview":"main"}"#, #"Did you mean "webView"?"#),
        (#""daemon_stop","arguments":{"port":2734}"#, "There is none."),
    ])
    func unknownArguments_areRefused(_ call: String, _ text: String) throws {
        let request = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":\#(call)}}"#
        let error = try Self.answer(to: request)["error"]
        #expect(error?["code"]?.number == -32602)
        #expect(error?["message"]?.string?.contains(text) == true, "\(error?.text ?? "")")
    }

    @Test func withoutADaemon_doctorNamesTheToolThatStartsOne() throws {
        let request = #"""
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"doctor","arguments":{"page":"nobody"}}}
            """#
        let result = try Self.answer(to: request)["result"]
        #expect(result?["isError"]?.bool == true)
        #expect(result?["content"]?[0]?["text"]?.string?.contains("daemon_start") == true)
    }

    @Test func explainsTheFilterLanguage() throws {
        let list = try Self.answer(to: #"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#)["result"]?["resources"]
        let uri = try #require(list?[0]?["uri"]?.string)
        let request = #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"\#(uri)"}}"#
        let text = try #require(try Self.answer(to: request)["result"]?["contents"]?[0]?["text"]?.string)
        for field in TrafficFilter.Field.allCases { #expect(text.contains("`\(field.rawValue)`")) }
        for example in text.split(separator: "\n").compactMap({ $0.wholeMatch(of: /- `([^`]+:[^`]+)`: .*/)?.1 }) {
            #expect(throws: Never.self) { try TrafficFilter(parsing: String(example)) }
        }
    }

    @Test func asksWhyAButtonDoesNotAppear() throws {
        let list = try Self.answer(to: #"{"jsonrpc":"2.0","id":1,"method":"prompts/list"}"#)["result"]?["prompts"]
        let name = try #require(Self.names(list).first)
        let request = #"""
            {"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"\#(name)","arguments":{"button":"Save"}}}
            """#
        let text = try Self.answer(to: request)["result"]?["messages"]?[0]?["content"]?["text"]?.string
        #expect(text?.contains("(Save)") == true)
    }

    @Test func agreesOnARevision() throws {
        let request = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"REVISION"}}"#
        for (asked, given) in [("2024-11-05", "2024-11-05"), ("2099-01-01", MCPServer.revision)] {
            let result = try Self.answer(to: request.replacing("REVISION", with: asked))["result"]
            #expect(result?["protocolVersion"]?.string == given)
            #expect(result?["capabilities"]?["tools"]?.kind == .object)
        }
    }

    @Test func toolThatFails_isAResult() throws {
        let request = #"""
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"app_perform","arguments":{"action":"fly"}}}
            """#
        let result = try Self.answer(to: request)["result"]
        #expect(result?["isError"]?.bool == true)
        #expect(result?["content"]?[0]?["text"]?.string?.contains("Nobody can fly.") == true)
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ])
    func answersNothing(_ message: String) {
        #expect(Self.response(to: message) == nil)
    }

    @Test(arguments: [
        ("{", -32700), ("[]", -32600), (#"{"jsonrpc":"2.0","id":1,"method":"completion/complete"}"#, -32601),
        (#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x"}}"#, -32602),
    ])
    func refuses(_ message: String, _ code: Double) throws {
        #expect(try Self.answer(to: message)["error"]?["code"]?.number == code)
    }
}
