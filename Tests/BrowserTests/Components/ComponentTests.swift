import BridgeProtocol
import BridgeServer
import BridgeTesting
import TestSupport
import Testing
import Turbo

/// Replies to each `count` three times.
private final class CounterComponent: BridgeComponent {
    override class var name: String { "counter" }

    override func onReceive(message: Message) {
        for number in 1...3 { reply(to: message.event, with: ["number": number]) }
    }
}

/// Bridge components in real browsers, with web libraries of both kinds.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3))) struct ComponentTests {
    /// An app that shows a page, which sends at once.
    private func run(
        _ engine: Browser.Engine, _ page: ComponentPage, _ script: String = "",
        components: [BridgeComponent.Type] = BridgeComponent.builtIn + [CounterComponent.self],
        _ body: @MainActor (BridgedApp) async throws -> Void
    ) async throws {
        guard engine.executable != nil else { throw try skipped(Browser.Missing(engine: engine)) }
        let server = try BridgeServer()
        var configuration = Shell.Configuration()
        configuration.components = components
        let app = try await BridgedApp(engine, server: server, shell: Shell(server: server, configuration))
        app.timeout = .seconds(20)
        do {
            let web = try await StaticApp(page.html(bridge: "\(app.address.url)bridge.js", script))
            try await app.open(web.url)
            try await body(app)
            await app.close()
        } catch {
            await app.close()
            throw error
        }
    }

    private func perform(_ app: BridgedApp, _ action: String, _ arguments: ShellAction.Arguments = [:]) throws {
        try #require(app.shell.actions.first { $0.name == action }).perform(arguments)
    }

    private func answers(_ app: BridgedApp, _ count: Int) async throws -> [String] {
        try await app.wait(until: "answers.length >= \(count)")
        return try await app.evaluate(
            "answers.splice(0).map(a => `${a.component} ${a.event} ${JSON.stringify(a.data)}`)")
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox], ComponentPage.allCases)
    func aFormsButton_isTappedAndGoes(_ engine: Browser.Engine, _ page: ComponentPage) async throws {
        // The hotwire page sends before there is an adapter, the strada page while it waits for one.
        try await run(engine, page, #"send("form", "connect", { submitTitle: "Save" })"#) { app in
            _ = try await app.nextRecord(
                TrafficFilter([.init(.kind, "message"), .init(.handler, "bridge")]), match: form)
            #expect(try await app.evaluate("document.documentElement.dataset.bridgePlatform") == "ios")
            let agent: String = try await app.evaluate("navigator.userAgent")
            #expect(agent.contains("bridge-components: [") && agent.contains("form"))
            for _ in 1...2 {
                try perform(app, "form.submit")
                #expect(try await answers(app, 1).first?.hasPrefix("form connect {\"submitTitle\":\"Save\"") == true)
            }
            try await app.run(#"send("counter", "count")"#)
            #expect(try await answers(app, 3) == (1...3).map { #"counter count {"number":\#($0)}"# })
            try await app.run(#"send("form", "disconnect")"#)
            try await app.wait(until: "true")
            #expect(throws: ShellRefusal.self) { try perform(app, "form.submit") }
        }
    }

    private var form: ScriptValue {
        get throws { try ScriptValue(json: JSON.parse(#"{"component":"form"}"#)) }
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox])
    func aComponentThatTheAppLacks_isTold(_ engine: Browser.Engine) async throws {
        try await run(engine, .hotwire, #"send("map", "connect")"#) { app in
            let record = try await app.nextRecord(
                TrafficFilter([.init(.kind, "message"), .init(.name, "unsupportedComponent")]))
            #expect(record.text.contains(#""reason":"unknownComponent""#))
            #expect(record.text.contains("configuration.components.append"))
        }
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox])
    func aComponentThatIsRegisteredLate_receivesFromThenOn(_ engine: Browser.Engine) async throws {
        try await run(engine, .strada, components: BridgeComponent.builtIn) { app in
            try await app.wait(until: "document.documentElement.dataset.bridgeComponents?.includes('form')")
            try await app.run("nativeBridge.unregister('form')")
            #expect(try await app.evaluate("library.supportsComponent('form')") == false)
            try await app.run("nativeBridge.register('form')")
            #expect(try await app.evaluate("library.supportsComponent('form')"))
            try await app.run(#"send("form", "connect", { title: "Late" })"#)
            try await app.wait(until: "true")
            try perform(app, "form.submit")
            #expect(try await answers(app, 1).count == 1)
        }
    }
}
