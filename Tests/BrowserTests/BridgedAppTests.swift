import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import TestSupport
import Testing

/// Tests `BridgedApp` in the way that a developer's own test uses it (docs/test.md).
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct BridgedAppTests {
    @Test(arguments: Browser.Engine.allCases)
    func drivesTheDemo(_ engine: Browser.Engine) async throws {
        try await withApp(in: engine) { app in
            try await app.open("/demo/")
            let button = try await app.nextMessage(ActionButton.self)
            #expect(button == ActionButton(path: "/customers/new", icon: "plus"))
            #expect(app.emulatedApp.actionButtons["main"]?.icon == "plus")
            let title = try await app.evaluate("document.title") as String
            #expect(title == "bridged demo")
            try await app.tap("#register-push-token")
            _ = try await app.nextMessage(RegisterPushToken.self)
            try await app.wait(until: "document.getElementById('token').textContent == '\(app.emulatedApp.pushToken)'")
            app.stub("contacts", reply: .value(try ScriptValue(encoding: ["Zoe"])))
            try await app.wait(until: "webkit.messageHandlers.contacts !== undefined")
            try await app.run(
                "webkit.messageHandlers.contacts.postMessage('all').then(found => { window.found = found })")
            try await app.wait(until: "window.found?.[0] == 'Zoe'")
            #expect(app.traffic.contains { $0.event.kind == .reply })
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

    private func withApp(in engine: Browser.Engine, _ body: @MainActor (BridgedApp) async throws -> Void) async throws {
        do {
            try await withBridgedApp(in: engine) { app in try await body(app) }
        } catch let missing as Browser.Missing {
            throw try skipped(missing)
        }
    }
}
