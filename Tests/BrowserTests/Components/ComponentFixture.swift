import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import PathConfiguration
import TestSupport
import Testing

/// An app, a browser, and a page with bridge components.
@MainActor struct ComponentFixture {
    let app: BridgedApp
    /// What the page's messages come to.
    private let handler: String

    /// - Parameter script: the page's own, which may `ask` before the library stands.
    static func run(
        _ engine: Browser.Engine, _ page: ComponentPage, _ script: String = "", body: String = "",
        components: [BridgeComponent.Type] = BridgeComponent.builtIn, platform: Platform = .ios,
        _ test: @MainActor (ComponentFixture) async throws -> Void
    ) async throws {
        guard engine.executable != nil else { throw try skipped(Browser.Missing(engine: engine)) }
        let server = try BridgeServer()
        var configuration = EmulatedApp.Configuration(pushToken: "c0ffee")
        configuration.components = components
        configuration.platform = platform
        let app = try await BridgedApp(engine, server: server, emulatedApp: EmulatedApp(server: server, configuration))
        app.timeout = .seconds(20)
        do {
            let web = try await StaticApp(page.html(bridge: "\(app.address.url)bridge.js", script, body: body))
            try await app.open(web.url)
            let handler = platform == .android ? "BridgeComponentsNative" : "bridge"
            try await test(ComponentFixture(app: app, handler: handler))
            await app.close()
        } catch {
            await app.close()
            throw error
        }
    }

    /// Has the page send, and waits until the app has the message.
    func send(_ component: String, _ event: String, _ data: String = "{}") async throws {
        try await app.run("ask('\(component)', '\(event)', \(data))")
        try await arrival(component, event)
    }

    func arrival(_ component: String, _ event: String) async throws {
        let message = try ScriptValue(json: JSON.parse(#"{"component":"\#(component)","event":"\#(event)"}"#))
        _ = try await app.nextRecord(
            TrafficFilter([.init(.kind, "message"), .init(.handler, handler)]), match: message)
    }

    func perform(_ action: String, _ arguments: Action.Arguments = [:]) throws {
        try app.emulatedApp.perform(action, arguments)
    }

    /// The next answers that the page got, each with its data as JSON.
    func answers(_ count: Int) async throws -> [String] {
        try await app.wait(until: "answers.length >= \(count)")
        return try await app.evaluate(
            "answers.splice(0).map(a => `${a.component} ${a.event} ${JSON.stringify({ ...a.data, metadata: undefined })}`)"
        )
    }

    /// What the visible screen shows of a component, as JSON.
    func state(_ component: String) throws -> String? {
        let state = JSONValue.object(app.emulatedApp.state)
        return state["main"]?[0]?["components"]?[component]?.text
    }
}
