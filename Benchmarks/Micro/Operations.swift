import BridgeProtocol
import BridgeTraffic
import Foundation
import PathConfiguration

private struct ActionButton: ScriptMessage {
    static let name = "ActionButton"
    let path: String
    let icon: String
}

/// A step that is performed for every message or every visit.
struct Operation {
    let name: String
    let run: @MainActor () -> Void
}

@MainActor enum Operations {
    private static let frame = Array(
        """
        [{"jsonrpc":"2.0","id":17,"result":{"value":null}},{"jsonrpc":"2.0","method":"message.post","params":{"seq":18,\
        "handler":"nativeApp","body":{"name":"ActionButton","path":"/customers/new","icon":"plus"}}}]
        """.utf8)

    static func all() throws -> [Operation] { try messages() + records() + paths() }

    // MARK: Messages

    private static func messages() throws -> [Operation] {
        let body = try ScriptValue(json: JSON.parse(#"{"name":"ActionButton","path":"/customers/new","icon":"plus"}"#))
        let text = Array(body.json.description.utf8)
        let long = Array(
            #"{"name":"ActionButton","path":"\#(String(repeating: "x", count: 10_000))","icon":"plus"}"#.utf8)
        let dispatcher = ScriptMessageDispatcher()
        var count = 0
        dispatcher.on(ActionButton.self) { _, _ in count += 1 }
        let context = ScriptMessageContext(
            handler: "nativeApp", page: "p1", webView: "main", url: "http://localhost/", seq: 1, evaluator: Nowhere())
        var writer = JSONWriter()
        return [
            Operation(name: "parse a body of \(text.count) bytes") {
                _ = try? text.withUnsafeBytes { try JSON.parse($0) }
            },
            Operation(name: "parse a body of \(long.count) bytes") {
                _ = try? long.withUnsafeBytes { try JSON.parse($0) }
            },
            Operation(name: "read a page's frame of two messages") {
                try? frame.withUnsafeBytes { try PageFrame($0) }.forEach { _ in count += 1 }
            },
            Operation(name: "decode an ActionButton") { _ = try? body.decode(ActionButton.self) },
            Operation(name: "dispatch an ActionButton") { _ = dispatcher.dispatch(body, context: context) },
            Operation(name: "encode an evaluation") {
                writer.reset()
                PageScript.write(
                    id: RequestID(17), source: "window.bridge.register(\"token\")", sourceURL: nil, world: nil,
                    to: &writer)
            },
            Operation(name: "make a call of JavaScript") { _ = JavaScriptCall("window.bridge.register", "token") },
        ]
    }

    /// A page that ignores evaluations.
    private final class Nowhere: ScriptEvaluator {
        func evaluate(
            _ source: String, timeout: Duration?, completion: (@MainActor (Result<ScriptValue, ScriptError>) -> Void)?
        ) {}
    }

    // MARK: Records

    private static func records() throws -> [Operation] {
        let body = try ScriptValue(json: JSON.parse(#"{"name":"ActionButton","path":"/customers/new","icon":"plus"}"#))
        let record = TrafficRecord(
            record: 1, time: .now, page: "p1", webView: "main", url: "http://localhost:3000/customers",
            direction: .toNative,
            event: .message(handler: "nativeApp", name: "ActionButton", body: body, seq: 1, verdict: .handled))
        let stored = StoredRecord(record)
        let byField = try TrafficFilter(parsing: "handler:nativeApp,turbo -verdict:dropped kind:message")
        let byText = try TrafficFilter(parsing: "text:customers/new")
        var writer = JSONWriter()
        return [
            Operation(name: "redact a body") { _ = Redaction.standard.redacted(body) },
            Operation(name: "print a record") { _ = StoredRecord(record, using: &writer) },
            Operation(name: "filter a record by its fields") { _ = byField.matches(stored) },
            Operation(name: "filter a record by a text") { _ = byText.matches(stored) },
        ]
    }

    // MARK: Paths

    private static func paths() throws -> [Operation] {
        let document = try PathConfigurationDocument(
            """
            {"rules": [{"patterns": [".*"], "properties": {"context": "default"}},
            {"patterns": ["/new$", "/edit$"], "properties": {"context": "modal"}}]}
            """.utf8)
        return [
            Operation(name: "look up a path in 5 rules") { _ = document.properties(for: "/section/some-name/edit") }
        ]
    }
}
