import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// The results of methods match their schemas in `/openrpc.json`.
@MainActor @Suite(.timeLimit(.minutes(4))) struct ResultSchemaTests {
    /// The OpenRPC document, whose schemas results are checked against.
    private struct Document {
        let json: JSON

        /// - Returns: the mismatch; nil if the result matches.
        func mismatch(of result: JSON, of method: String) throws -> String? {
            var found: JSON?
            json["methods"]?.forEachElement { if $0["name"]?.string == method { found = $0 } }
            let schema = try #require(found?["result"]?["schema"])
            let text = inlined(JSONValue(schema)).text
            return try JSONSchema(JSON.parse(text)).mismatch(in: ScriptValue(json: result)).map { "\($0)" }
        }

        /// The schema with every `$ref` replaced by what it refers to.
        private func inlined(_ schema: JSONValue) -> JSONValue {
            switch schema {
            case .array(let elements): return .array(elements.map(inlined))
            case .object(let members):
                guard case .string(let path)? = members.first(where: { $0.key == "$ref" })?.value else {
                    return .object(members.map { .init($0.key, inlined($0.value)) })
                }
                return inlined(json.resolve(pointer: String(path.dropFirst())).map(JSONValue.init) ?? .null)
            default: return schema
            }
        }
    }

    /// Methods, with params that give a result.
    nonisolated static let calls: [(method: String, params: String)] = [
        ("daemon.info", "{}"), ("pages.list", "{}"), ("pages.wait", "{}"), ("page.navigate", #"{"delta":-1}"#),
        ("script.evaluate", #"{"source":"1"}"#), ("script.callAsync", #"{"body":"1"}"#),
        ("script.wait", #"{"condition":"1"}"#),
        ("handlers.stub", #"{"handler":"h","match":{"a":1},"webView":"main","reply":{"echo":true},"delayMs":1}"#),
        ("handlers.list", "{}"), ("message.post", #"{"handler":"h","body":{"a":1}}"#),
        ("message.post", #"{"handler":"plain","body":1}"#), ("messages.wait", #"{"after":0}"#),
        ("traffic.query", "{}"), ("app.state", "{}"), ("app.actions", "{}"),
        ("app.perform", #"{"action":"nothing"}"#), ("app.explain", #"{"url":"/"}"#),
        ("handlers.unstub", #"{"stub":"s1"}"#), ("origins.add", #"{"origin":"http://localhost:4000"}"#),
        ("faults.add", #"{"url":"/","kind":"slow","delayMs":1,"webView":"other"}"#), ("faults.list", "{}"),
        ("faults.remove", #"{"fault":"f1"}"#),
        ("page.launch", #"{"url":"http://localhost:4000/"}"#), ("traffic.note", #"{"text":"a test"}"#),
    ]

    @Test func resultsMatchTheirSchemas() async throws {
        try await withServer { server, address in
            server.addHandler("plain", .plain { _, _ in .handled })
            let app = OneActionApp()
            server.app = app
            let (page, _) = try await PageClient.attach(port: address.port)
            // The page answers each request of the daemon, such as script to evaluate, with 1.
            let answers = Task {
                while true {
                    let request = try await page.next("jsonrpc", "2.0")
                    guard request["method"] != nil, let id = request["id"]?.number else { continue }
                    page.send("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"result\":{\"value\":1}}")
                }
            }
            let tool = try ControlClient(address)
            let document = Document(json: try JSON.parse(try await tool.get("/openrpc.json").body))
            for (method, params) in Self.calls {
                let result = try await tool.call(method, params)
                #expect(try document.mismatch(of: result, of: method) == nil, Comment(rawValue: method))
            }
            // The check itself finds mistakes.
            #expect(try document.mismatch(of: JSON.parse(#"{"pages":[{}]}"#), of: "pages.list") != nil)
            answers.cancel()
        }
    }

    /// An app with one action.
    private final class OneActionApp: ControllableApp {
        var state: [JSONValue.Member] { [.init("title", "Nothing")] }
        var actions: [Action] { [Action("nothing", "Does nothing.")] }

        func perform(_ name: String, _ arguments: Action.Arguments) -> ActionResult { ActionResult() }

        func explain(_ url: String) -> any JSONWritable & Sendable { ["url": .string(url)] as JSONValue }
    }
}
