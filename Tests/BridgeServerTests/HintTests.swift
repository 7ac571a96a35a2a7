import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

/// A hint names the form in which somebody works: advice about Swift is never the only advice for a person who may have
/// written none.
@Suite struct HintFormTests {
    private struct Hint: CustomStringConvertible {
        let place: String
        let text: String
        var description: String { "\(place): \(text)" }
    }

    /// What only somebody who writes Swift can follow.
    nonisolated(unsafe) private static let swift =
        /\bSwift\b|\.self\b|\bWK[A-Z]\w+|\{ … \}|\bapp\.[a-z]\w+\(?|BridgedApp|register a handler|\bdelegate method|JavascriptInterface/

    /// Hints about things that only code in Swift can cause.
    private static let causedBySwift = [
        "Call the decision handler of each delegate method once", "Keep a reference to the WKWebView",
        "In a test of your own WKWebView", "The outbox of app.state has it",
        "lists the differences from a real WKWebView",
    ]

    /// The literals of all arguments `hint:` in the sources, each with its place.
    private func hints() throws -> [Hint] {
        let sources = Repository.file("Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        return try files.sorted { $0.path < $1.path }.flatMap { file -> [Hint] in
            let code = try String(contentsOf: file, encoding: .utf8)
            return code.matches(of: #/\bhint: /#).compactMap { match -> Hint? in
                let argument = Self.argument(in: code[match.range.upperBound...])
                let text = argument.matches(of: /"((?:[^"\\]|\\.)*)"/).map(\.1).joined()
                guard !text.isEmpty else { return nil }
                let line = code[..<match.range.lowerBound].count { $0.isNewline } + 1
                return Hint(place: "\(file.lastPathComponent):\(line)", text: text)
            }
        }
    }

    /// The argument at the start of the code: up to the comma or the parenthesis that ends it.
    private static func argument(in code: Substring) -> Substring {
        var (depth, isInString, isEscaped) = (0, false, false)
        for index in code.indices {
            let character = code[index]
            if isInString {
                if character == "\"", !isEscaped { isInString = false }
                isEscaped = character == "\\" && !isEscaped
                continue
            }
            switch character {
            case "\"": isInString = true
            case "(", "{", "[": depth += 1
            case ")", "}", "]":
                if depth == 0 { return code[..<index] }
                depth -= 1
            case "," where depth == 0: return code[..<index]
            default: continue
            }
        }
        return code
    }

    @Test func noHintIsOnlyAboutSwift() throws {
        let hints = try hints()
        #expect(hints.count > 80, "the test reads the hints of the sources")
        for hint in hints where !Self.causedBySwift.contains(where: hint.text.contains) {
            let text = hint.text
            let others = text.firstRange(of: /[iI]n Swift|Swift's/).map { text[..<$0.lowerBound] } ?? text[...]
            #expect(!others.contains(Self.swift) && !others.isEmpty, "\(hint)")
        }
    }
}

/// Messages that native code cannot use, and what helps.
@MainActor @Suite(.timeLimit(.minutes(4))) struct HintTests {
    private struct Own: ScriptMessage {
        static let name = "Own"
        let id: String
    }

    private func verdict(
        _ body: String, to handler: String, _ prepare: @MainActor (BridgeServer) -> Void = { _ in }
    ) async throws -> Verdict? {
        var found: Verdict?
        try await withServer { server, address in
            prepare(server)
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post(body, seq: 1, to: handler, id: "a")
            let record = try await recorder.first { $0.event.kind == .message }
            if case .message(_, _, _, _, let verdict) = record.event { found = verdict }
        }
        return found
    }

    /// Bodies as the frameworks' own scripts post them.
    nonisolated static let foreign: [(handler: String, body: String, framework: String)] = [
        (
            "bridge",
            #"{"type":"message","callbackId":"7","pluginId":"Camera","methodName":"getPhoto","options":{}}"#,
            "Capacitor"
        ),
        ("androidBridge", #""{\"callbackId\":\"7\",\"pluginId\":\"App\",\"methodName\":\"exit\"}""#, "Capacitor"),
        (
            "bridge", #"{"type":"cordova","callbackId":"1","service":"File","action":"read","actionArgs":"[]"}"#,
            "Cordova"
        ),
        ("cordova", #"["File1","File","read",[]]"#, "Cordova"),
        ("ReactNativeWebView", #""hello""#, "React Native WebView"),
        ("callHandler", #"{"handlerName":"pay","_callHandlerID":3,"args":"[1]"}"#, "flutter_inappwebview"),
        ("ipc", #""{\"cmd\":\"greet\",\"callback\":1,\"error\":2}""#, "Tauri"),
    ]

    /// Whether the handler is missing, or expects messages with a name.
    @Test(arguments: foreign, [false, true])
    func namesTheFrameworkWhoseMessageItIs(
        _ message: (handler: String, body: String, framework: String), _ hasHandler: Bool
    ) async throws {
        let verdict = try await verdict(message.body, to: message.handler) { server in
            guard hasHandler else { return }
            let dispatcher = ScriptMessageDispatcher()
            dispatcher.on(Own.self) { _, _ in }
            server.addHandler(message.handler, .dispatcher(dispatcher))
        }
        #expect(verdict?.reason == (hasHandler ? .unknownName : .noHandler))
        let hint = try #require(verdict?.hint)
        #expect(hint.hasPrefix("This is a message of \(message.framework), whose native half is not here. "), "\(hint)")
        #expect(
            hint.contains("bridged stub \(message.handler) --none; in a flow, - stub: {handler: \(message.handler), "))
    }

    @Test func namesEachFormOfAnswer_ifThereIsNoHandler() async throws {
        let verdict = try await verdict("1", to: "camera")
        #expect(
            verdict?.hint == "Answer it with a stub: bridged stub camera --none; in a flow, "
                + "- stub: {handler: camera, reply: {none: true}}. In Swift, register a handler named 'camera'. "
                + "See docs/write-a-handler.md#typed-messages.")
    }

    @Test func saysWhatAStubsMatchIsComparedWith() async throws {
        for (body, start) in [
            (#""{\"kind\":\"done\"}""#, "The body is JSON text, and match looks at the value in it. "),
            (#""done""#, "The body is a string: a match of it is the whole string. "),
            (#"{"kind":"done"}"#, "Change a "),
        ] {
            let verdict = try await verdict(body, to: "h") { server in
                server.stub("h", match: ScriptValue(["kind": "all"]), reply: .none)
            }
            #expect(verdict?.reason == .noStubFits)
            #expect(verdict?.hint?.hasPrefix(start) == true, "\(verdict?.hint ?? "")")
        }
    }

    /// The page posts `JSON.stringify({kind: "done"})`.
    @Test func stubLooksIntoJSONText() async throws {
        let verdict = try await verdict(#""{\"kind\":\"done\",\"n\":[1]}""#, to: "h") { server in
            server.stub("h", match: ScriptValue(["kind": "done", "n": [1]]), reply: .none)
        }
        #expect(verdict?.outcome == .handled)
    }
}
