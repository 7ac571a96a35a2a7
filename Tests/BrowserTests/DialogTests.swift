import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import TestSupport
import Testing

/// Dialogs of pages in tests: a handler answers them, or the action fails at once.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DialogTests {
    @Test(arguments: Browser.Engine.allCases.tried)
    func handler_answersDialogs(_ engine: Browser.Engine) async throws {
        try await withDemo(in: engine) { app in
            var dialogs: [String] = []
            app.onDialog { dialog in
                dialogs.append("\(dialog)")
                if dialog.kind == .prompt { return dialog.defaultText == "keep" ? .accept : .accept("Zoe") }
                return dialog.message == "No?" ? .dismiss : .accept
            }
            let answer = try await app.evaluate("String(alert('Hello'))") as String
            #expect(answer == "undefined")
            #expect(try await app.evaluate("confirm('Yes?')") as Bool == true)
            #expect(try await app.evaluate("confirm('No?')") as Bool == false)
            #expect(try await app.evaluate("prompt('Name?')") as String == "Zoe")
            #expect(try await app.evaluate("prompt('Name?', 'keep')") as String == "keep")
            #expect(try await app.evaluate("String(alert()) + alert") as String != "")
            #expect(
                dialogs == [
                    #"an alert: "Hello""#, #"a confirm: "Yes?""#, #"a confirm: "No?""#, #"a prompt: "Name?""#,
                    #"a prompt: "Name?""#, #"an alert: """#,
                ])
        }
    }

    @Test(arguments: Browser.Engine.allCases.tried)
    func action_failsAtOnce_ifItsDialogIsNotAnswered(_ engine: Browser.Engine) async throws {
        try await withDemo(in: engine) { app in
            let started = ContinuousClock.now
            let alert = await #expect(throws: BridgedAppFailure.self) { try await app.run("alert('Saved')") }
            #expect(alert?.found.hasPrefix(#"the page opened an alert: "Saved". It was dismissed"#) == true)
            let confirm = await #expect(throws: BridgedAppFailure.self) {
                try await app.evaluate("confirm('Sure?')") as Bool
            }
            #expect(confirm?.found.contains("Sure?") == true)
            // A dialog that comes while the test waits for something else. The wait begins as soon as this waits for the
            // page, whose own evaluation fails for no dialog.
            let page = try app.page()
            let wait = Task {
                try await app.nextRecord(
                    TrafficFilter([.init(.name, "Never")]), "a message Never", within: .seconds(60))
            }
            _ = try await page.evaluate("alert('Later')")
            let later = await #expect(throws: BridgedAppFailure.self) { try await wait.value }
            #expect(
                later?.description.contains(#"Expected a message Never; the page opened an alert: "Later""#) == true)
            #expect(ContinuousClock.now - started < .seconds(30))
            // The page goes on.
            #expect(try await app.evaluate("String(confirm) && 1 + 1") as Int == 2)
        }
    }

    @Test func stub_answersDialogs() async throws {
        try await withDemo(in: .chromium) { app in
            app.stub("window.confirm", match: try ScriptValue(encoding: ["Stubbed?"]), reply: .value(ScriptValue(true)))
            let answer = try await app.evaluate("confirm('Stubbed?')") as Bool
            #expect(answer)
        }
    }

    private func withDemo(in engine: Browser.Engine, _ body: @MainActor (BridgedApp) async throws -> Void) async throws
    {
        do {
            try await withBridgedApp(in: engine) { app in
                app.timeout = .seconds(20)
                try await app.open("/demo/")
                try await body(app)
            }
        } catch let missing as Browser.Missing {
            throw try skipped(missing)
        }
    }
}
