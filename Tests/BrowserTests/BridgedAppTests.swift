import BridgeProtocol
import BridgeTesting
import BridgeTestingTraits
import BridgeTraffic
import BridgeWebKit
import EmulatedApp
import Foundation
import TestSupport
import Testing

/// Tests `BridgedApp` in the way that a developer's own test uses it (docs/test.md).
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct BridgedAppTests {
    @Test(arguments: Browser.Engine.allCases.tried)
    func drivesTheDemo(_ engine: Browser.Engine) async throws {
        try await withApp(in: engine) { app in
            try await app.open("/demo/")
            let button = try await app.nextMessage(ActionButton.self)
            #expect(button == ActionButton(path: "/customers/new", icon: "plus"))
            #expect(app.emulatedApp?.actionButtons["main"]?.icon == "plus")
            let title = try await app.evaluate("document.title") as String
            #expect(title == "bridged demo")
            try await app.tap("#register-push-token")
            _ = try await app.nextMessage(RegisterPushToken.self)
            try await app.wait(
                until: "document.getElementById('token').textContent == '\(app.emulatedApp?.pushToken ?? "")'")
            app.stub("contacts", reply: .value(try ScriptValue(encoding: ["Zoe"])))
            try await app.wait(until: "webkit.messageHandlers.contacts !== undefined")
            try await app.run(
                "webkit.messageHandlers.contacts.postMessage('all').then(found => { window.found = found })")
            try await app.wait(until: "window.found?.[0] == 'Zoe'")
            #expect(app.traffic.contains { $0.event.kind == .reply })
        }
    }

    /// Unless it is asked, the app looks for the reason only after some seconds.
    @Test func expectNoProblem_findsAMissingAdapter() async throws {
        try await withApp(in: .chromium) { app in
            let html = """
                <script>Object.defineProperty(window, "turboNative", { get() {}, set() {} })</script><title>Own</title>
                """
            try await app.open(app.serve(html))
            let failure = await #expect(throws: BridgedAppFailure.self) {
                try await app.expectNoProblem(for: .milliseconds(50))
            }
            #expect(failure?.found.contains("no adapter runs in it") == true)
            // A page without Turbo is no problem of an app that uses none.
            try await app.open(app.serve("<title>Plain</title>"))
            try await app.expectNoProblem(for: .milliseconds(50))
        }
    }

    @Test func nextMessage_returnsEachMessageOnce() async throws {
        try await withApp(in: .chromium) { app in
            try await app.open("/demo/")
            _ = try await app.nextMessage(ActionButton.self)
            try await app.run(
                "webkit.messageHandlers.nativeApp.postMessage({name: 'ActionButton', path: '/2', icon: 'x'})")
            #expect(try await app.nextMessage(ActionButton.self).path == "/2")
            try await app.expectNone(TrafficFilter([.init(.name, "ActionButton")]), for: .milliseconds(50))
        }
    }

    @Test func failureDescribesTheTraffic_ifTheExpectedMessageIsMissing() async throws {
        try await withApp(in: .chromium) { app in
            try await app.open("/demo/")
            let message = TrafficFilter([.init(.name, "ActionButton")])
            _ = try await app.server.traffic.next(message, after: 0, timeout: .seconds(30))
            let missing = await #expect(throws: BridgedAppFailure.self) {
                try await app.nextMessage(RegisterPushToken.self, within: .milliseconds(50))
            }
            let text = missing?.description ?? ""
            #expect(
                text.hasPrefix(
                    "Expected a message RegisterPushToken within 0.05 seconds; none came. The latest traffic:\n"))
            #expect(text.contains(#"nativeApp  ActionButton {"path":"/customers/new","icon":"plus"}   handled"#))
            let unexpected = await #expect(throws: BridgedAppFailure.self) {
                try await app.expectNone(message, "message ActionButton", for: .milliseconds(50))
            }
            #expect(unexpected?.expected == "no message ActionButton")
            let wrong = await #expect(throws: BridgedAppFailure.self) {
                try await app.evaluate("document.title") as Int
            }
            #expect(wrong?.found == #"it gave string "bridged demo""#)
            let thrown = await #expect(throws: BridgedAppFailure.self) { try await app.run("nowhere()") }
            #expect(thrown?.found.contains("ReferenceError") == true)
        }
    }

    /// The outer trait gets the issue after the inner one, and takes the failure away if it shows the traffic.
    @Test(
        .compactMapIssues { issue in
            issue.comments.contains { $0.rawValue.contains("! noteworthy: This happened") } ? nil : issue
        }, .bridgedTraffic)
    func failedExpectationShowsTheTraffic() async throws {
        try await withBridgedApp(in: .chromium) { app in
            app.server.traffic.problem(ProblemCode("noteworthy"), "This happened.", hint: "Look.")
            #expect(Bool(false))
        }
    }

    @Test(arguments: Browser.Engine.allCases.tried)
    func servesAFixture_toATestsOwnWebView(_ engine: Browser.Engine) async throws {
        do {
            try await withBridgedApp(in: engine, app: .none) { app in
                let configuration = WKWebViewConfiguration()
                configuration.bridgeServer = app.server
                let webView = WKWebView(frame: .zero, configuration: configuration)
                let greeter = Greeter()
                webView.configuration.userContentController.addScriptMessageHandler(
                    greeter, contentWorld: .page, name: "greeter")
                try await app.open(
                    app.serve(
                        "<!DOCTYPE html><title>A</title><script>var ready = webkit.messageHandlers.greeter</script>"))
                #expect(try await app.evaluate("document.title") == "A")
                let greeting = "ready.postMessage({ name: 'Zoe' })"
                #expect(try await app.evaluate(greeting, awaitingPromise: true) == "Hello, Zoe")
                let sum = try await app.callAsync("return await first + 2", arguments: ["first": 1], as: Int.self)
                #expect(sum == 3)
                #expect(try await app.page().evaluate("[1, 2]") as [Int] == [1, 2])
                #expect(
                    try await app.evaluate("new Date(5)", as: ScriptValue.self)
                        == .date(.init(timeIntervalSince1970: 0.005)))
                #expect(webView.title == "A" && app.emulatedApp == nil)
                try await app.open(app.serve("<title>B</title>", at: "/b"))
                try await app.wait(until: "document.title == 'B'")
            }
        } catch let missing as Browser.Missing {
            throw try skipped(missing)
        }
    }

    @Test func showsWhatCame_ifNoMessageFits() async throws {
        try await withApp(in: .chromium) { app in
            try await app.open("/demo/")
            let message = TrafficFilter([.init(.name, "ActionButton")])
            _ = try await app.server.traffic.next(message, after: 0, timeout: .seconds(30))
            let failure = await #expect(throws: BridgedAppFailure.self) {
                try await app.nextMessage(ActionButton.self, within: .milliseconds(300)) { $0.path == "/other" }
            }
            #expect(failure?.found.hasPrefix("these came: record ") == true)
            #expect(try await app.nextMessage(ActionButton.self) { $0.icon == "plus" }.path == "/customers/new")
        }
    }

    private final class Greeter: NSObject, WKScriptMessageHandlerWithReply {
        func userContentController(
            _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
        ) async -> (Any?, String?) {
            ("Hello, \((message.body as? [String: String])?["name"] ?? "nobody")", nil)
        }
    }

    private func withApp(in engine: Browser.Engine, _ body: @MainActor (BridgedApp) async throws -> Void) async throws {
        do {
            try await withBridgedApp(in: engine) { app in try await body(app) }
        } catch let missing as Browser.Missing {
            throw try skipped(missing)
        }
    }
}
