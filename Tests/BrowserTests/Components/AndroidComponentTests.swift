import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import Testing

/// Tests bridge components over `BridgeComponentsNative` and `StradaNative` in real browsers.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct AndroidComponentTests {
    @Test(arguments: [Browser.Engine.chromium, .firefox].tried, ComponentPage.allCases)
    func formButton_answersEachTap(_ engine: Browser.Engine, _ page: ComponentPage) async throws {
        let early = #"ask("form", "connect", { submitTitle: "Save" })"#
        try await ComponentFixture.run(engine, page, early, platform: .android) { try await tapForm($0.app) }
    }

    private func tapForm(_ app: BridgedApp) async throws {
        let calls = TrafficFilter([.init(.kind, "message"), .init(.handler, "BridgeComponentsNative")])
        // The record has the parsed message, not the JSON text that carried it.
        let connect = try ScriptValue(json: JSON.parse(#"{"component":"form","event":"connect"}"#))
        let record = try await app.nextRecord(calls, match: connect)
        #expect(record.json["verdict"]?["outcome"]?.string == "handled")
        _ = try await app.nextRecord(TrafficFilter(calls.terms + [.init(.name, "bridgeDidInitialize")]))
        _ = try await app.nextRecord(TrafficFilter(calls.terms + [.init(.name, "bridgeDidUpdateSupportedComponents")]))
        #expect(try await app.evaluate("document.documentElement.dataset.bridgePlatform") == "android")
        let agent: String = try await app.evaluate("navigator.userAgent")
        #expect(agent.contains("Turbo Native Android; bridge-components: [") && agent.contains("form"))
        for _ in 1...2 {
            try app.emulatedApp?.perform("form.submit")
            try await app.wait(until: "answers.length == 1")
            #expect(try await app.evaluate("answers.pop().event") == "connect")
        }
        try await app.run(#"StradaNative.bridgeDidReceiveMessage("{")"#)
        let problem = try await app.nextRecord(TrafficFilter([.init(.kind, "problem"), .init(.text, "undecodable")]))
        #expect(problem.text.contains("undecodable") && problem.text.contains("JSON.stringify"))
    }
}
