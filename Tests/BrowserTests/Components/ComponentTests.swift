import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import Testing

/// A component that replies three times to each message.
private final class CounterComponent: BridgeComponent {
    override class var name: String { "counter" }

    override func onReceive(message: Message) {
        for number in 1...3 { reply(to: message.event, with: ["number": number]) }
    }
}

/// Tests bridge components in real browsers with both kinds of web library.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct ComponentTests {
    // The hotwire page sends before there is an adapter; the strada page sends while it waits for one.
    @Test(arguments: [Browser.Engine.chromium, .firefox].tried, ComponentPage.allCases)
    func earlyMessagesArrive_andTheAppCanReplySeveralTimes(
        _ engine: Browser.Engine, _ page: ComponentPage
    ) async throws {
        let early = #"ask("form", "connect", { submitTitle: "Save" })"#
        let components = BridgeComponent.builtIn + [CounterComponent.self]
        try await ComponentFixture.run(engine, page, early, components: components) { fixture in
            try await fixture.arrival("form", "connect")
            #expect(try await fixture.app.evaluate("document.documentElement.dataset.bridgePlatform") == "ios")
            let agent: String = try await fixture.app.evaluate("navigator.userAgent")
            #expect(agent.contains("bridge-components: [alert ") && agent.hasSuffix("]"))
            for _ in 1...2 {
                try fixture.perform("form.submit")
                #expect(try await fixture.answers(1) == [#"form connect {"submitTitle":"Save"}"#])
            }
            try await fixture.send("counter", "count")
            #expect(try await fixture.answers(3) == (1...3).map { #"counter count {"number":\#($0)}"# })
            try await fixture.send("form", "disconnect")
            #expect(throws: ActionRefusal.self) { try fixture.perform("form.submit") }
        }
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func unknownComponent_isReported(_ engine: Browser.Engine) async throws {
        try await ComponentFixture.run(engine, .hotwire, #"ask("map", "connect")"#) { fixture in
            let record = try await fixture.app.nextRecord(
                TrafficFilter([.init(.kind, "message"), .init(.name, "unsupportedComponent")]))
            #expect(record.text.contains(#""reason":"unknownComponent""#))
            #expect(record.text.contains("configuration.components.append"))
        }
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func componentRegisteredLater_receivesMessages(_ engine: Browser.Engine) async throws {
        try await ComponentFixture.run(engine, .strada) { fixture in
            let app = fixture.app
            try await app.wait(until: "document.documentElement.dataset.bridgeComponents?.includes('form')")
            try await app.run("nativeBridge.unregister('form')")
            #expect(try await app.evaluate("library.supportsComponent('form')") == false)
            try await app.run("nativeBridge.register('form')")
            #expect(try await app.evaluate("library.supportsComponent('form')"))
            try await fixture.send("form", "connect", "{ title: 'Late' }")
            try fixture.perform("form.submit")
            #expect(try await fixture.answers(1) == [#"form connect {"title":"Late"}"#])
        }
    }
}
