import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import PathConfiguration
import TestSupport
import Testing

/// An app and a browser that shows a page with bridge components.
@MainActor struct ComponentFixture {
    let app: BridgedApp
    /// The handler or interface object that receives the page's messages.
    private let handler: String

    /// - Parameter script: the page's own script, which may call `ask` before the library is ready.
    static func run(
        _ engine: Browser.Engine, _ page: ComponentPage, _ script: String = "", body: String = "",
        components: [BridgeComponent.Type] = BridgeComponent.builtIn, platform: Platform = .ios,
        adapter: String? = nil,
        _ test: @MainActor (ComponentFixture) async throws -> Void
    ) async throws {
        try requireInstalled(engine)
        let server = try BridgeServer()
        var configuration = EmulatedApp.Configuration(pushToken: "c0ffee")
        configuration.components = components
        configuration.bridgeAdapter = adapter
        configuration.framework = platform == .ios ? .ios13 : .android13
        let app = try await BridgedApp(
            .attached(engine), server: server, emulatedApp: EmulatedApp(server: server, configuration))
        app.timeout = .seconds(20)
        do {
            let web = try await StaticApp(page.html(bridge: "\(app.address.url)bridge.js", script, body: body))
            // In Firefox, a page that calls an interface object while it loads sometimes has no `load` event that the daemon
            // sees (docs/notes/fidelity.md).
            let readiness: PageReadiness = platform == .android && engine == .firefox ? .attached : .load
            try await app.open(web.url, until: readiness)
            let handler = platform == .android ? "BridgeComponentsNative" : "bridge"
            try await test(ComponentFixture(app: app, handler: handler))
            await app.close()
        } catch {
            await app.close()
            throw error
        }
    }

    /// Makes the page send a message, and waits until the app has received it.
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
        try app.emulatedApp?.perform(action, arguments)
    }

    /// Waits until the page has `count` answers and returns them, each with its data as JSON.
    func answers(_ count: Int) async throws -> [String] {
        try await app.wait(until: "answers.length >= \(count)")
        return try await app.evaluate(
            "answers.splice(0).map(a => `${a.component} ${a.event} ${JSON.stringify({ ...a.data, metadata: undefined })}`)"
        )
    }

    /// Returns the state of a component on the visible screen, as JSON.
    func state(_ component: String) throws -> String? {
        let state = JSONValue.object(app.emulatedApp?.state ?? [])
        return state["main"]?[0]?["components"]?[component]?.text
    }
}
