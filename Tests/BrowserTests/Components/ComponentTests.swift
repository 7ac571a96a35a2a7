import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import Testing

/// Replies to each message three times.
private final class CounterComponent: BridgeComponent {
    override class var name: String { "counter" }

    override func onReceive(message: Message) {
        for number in 1...3 { reply(to: message.event, with: ["number": number]) }
    }
}

/// Bridge components in real browsers, with web libraries of both kinds.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct ComponentTests {
    // The hotwire page sends before there is an adapter, the strada page while it waits for one.
    @Test(arguments: [Browser.Engine.chromium, .firefox], ComponentPage.allCases)
    func whatIsSentEarly_arrives_andIsAnsweredAsOftenAsTheAppLikes(
        _ engine: Browser.Engine, _ page: ComponentPage
    ) async throws {
        let early = #"ask("form", "connect", { submitTitle: "Save" })"#
        let components = BridgeComponent.builtIn + [CounterComponent.self]
        try await ComponentFixture.run(engine, page, early, components: components) { bench in
            try await bench.arrival("form", "connect")
            #expect(try await bench.app.evaluate("document.documentElement.dataset.bridgePlatform") == "ios")
            let agent: String = try await bench.app.evaluate("navigator.userAgent")
            #expect(agent.contains("bridge-components: [alert ") && agent.hasSuffix("];"))
            for _ in 1...2 {
                try bench.perform("form.submit")
                #expect(try await bench.answers(1) == [#"form connect {"submitTitle":"Save"}"#])
            }
            try await bench.send("counter", "count")
            #expect(try await bench.answers(3) == (1...3).map { #"counter count {"number":\#($0)}"# })
            try await bench.send("form", "disconnect")
            #expect(throws: ActionRefusal.self) { try bench.perform("form.submit") }
        }
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox])
    func aComponentThatTheAppLacks_isTold(_ engine: Browser.Engine) async throws {
        try await ComponentFixture.run(engine, .hotwire, #"ask("map", "connect")"#) { bench in
            let record = try await bench.app.nextRecord(
                TrafficFilter([.init(.kind, "message"), .init(.name, "unsupportedComponent")]))
            #expect(record.text.contains(#""reason":"unknownComponent""#))
            #expect(record.text.contains("configuration.components.append"))
        }
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox])
    func aComponentThatIsRegisteredLate_receivesFromThenOn(_ engine: Browser.Engine) async throws {
        try await ComponentFixture.run(engine, .strada) { bench in
            let app = bench.app
            try await app.wait(until: "document.documentElement.dataset.bridgeComponents?.includes('form')")
            try await app.run("nativeBridge.unregister('form')")
            #expect(try await app.evaluate("library.supportsComponent('form')") == false)
            try await app.run("nativeBridge.register('form')")
            #expect(try await app.evaluate("library.supportsComponent('form')"))
            try await bench.send("form", "connect", "{ title: 'Late' }")
            try bench.perform("form.submit")
            #expect(try await bench.answers(1) == [#"form connect {"title":"Late"}"#])
        }
    }
}
