import BridgeClient
import BridgeProtocol
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

    private static var server: MCPServer {
        MCPServer(
            call: { method, params throws(ClientError) in
                switch method {
                case "rpc.discover": json(discovered)
                case "page.snapshot": json(#"{"data":"aGk="}"#)
                default:
                    if params.first?.value == "fly" {
                        throw ClientError.error(RPCError(.invalidRequest, "Nobody can fly."))
                    } else {
                        json(#"{"visible":"main"}"#)
                    }
                }
            },
            testFlow: { path in ("1 passed: \(path)", path != "bad.yml") })
    }

    private static let flowTool = #"""
        {"name":"test_flow","description":"Runs the flows in a YAML file, in a daemon and a headless browser of their own.",\#
        "inputSchema":{"type":"object","required":["path"],\#
        "properties":{"path":{"type":"string","description":"The file, such as flows/push.yml."}}}}
        """#

    /// Requests and their answers.
    static let transcript: [(request: String, answer: String)] = [
        (
            #"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
            #"""
            {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"app_perform","description":"Performs an action.",\#
            "inputSchema":{"type":"object","properties":{"action":{"type":"string","description":"The action."}},\#
            "required":["action"]}},\#
            {"name":"page_snapshot","description":"Takes a picture.",\#
            "inputSchema":{"type":"object","properties":{},"required":[]}},\#(flowTool)]}}
            """#
        ),
        (#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#, #"{"jsonrpc":"2.0","id":"a","result":{}}"#),
        (
            #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"app_perform","arguments":{"action":"back"}}}"#,
            #"""
            {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"visible\":\"main\"}"}],\#
            "isError":false}}
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
            {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"1 passed: bad.yml"}],"isError":true}}
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
        #expect(Self.server.answer(to: Array(request.utf8)) == answer)
    }

    private static func answer(to request: String) throws -> JSON {
        try JSON.parse(#require(server.answer(to: Array(request.utf8))))
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
        #expect(Self.server.answer(to: Array(message.utf8)) == nil)
    }

    @Test(arguments: [("{", -32700), ("[]", -32600), (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32601)])
    func refuses(_ message: String, _ code: Double) throws {
        #expect(try Self.answer(to: message)["error"]?["code"]?.number == code)
    }
}
