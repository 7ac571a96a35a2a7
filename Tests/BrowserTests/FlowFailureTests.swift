import BridgeServer
import BridgeTraffic
import BridgeYAML
import EmulatedApp
import TestSupport
import Testing

@testable import BridgeTesting

/// What flows that fail tell, without a browser: a stand-in for a page posts one message.
@MainActor @Suite(.timeLimit(.minutes(2))) struct FlowFailureTests {
    private func failure(of flow: String) async throws -> FlowFailure {
        let flow = try Flow(YAMLFile(name: "f.yml", text: flow))
        var pages: [PageStandIn] = []
        let runner = FlowRunner { _, _, _ in
            var configuration = BridgeServer.Configuration()
            configuration.port = 0
            let server = try BridgeServer(configuration)
            let app = try EmulatedApp(server: server)
            let page = PageStandIn(server)
            pages.append(page)
            Task { _ = try? await page.post(["name": "ActionButton", "path": "/x", "icon": "plus"], to: "nativeApp") }
            return (server, app)
        }
        return try #require(await runner.run(flow, in: .chromium).failure)
    }

    @Test func showsTheMessagesThatCame() async throws {
        let failure = try await failure(of: "- expect message: {name: ActionButon}\n  timeout: 500ms")
        #expect(failure.found.hasPrefix("none came; did you mean ActionButton? these came: record "))
        #expect(failure.found.hasSuffix(#" to nativeApp has {"name":"ActionButton","path":"/x","icon":"plus"}"#))
        let component = try await self.failure(of: "- expect message: {name: connect, match: {a: 1}}\n  timeout: 500ms")
        #expect(component.found.hasPrefix("none came; these came: record "))
    }

    @Test func tellsWhyAPageDoesNotAskForTheScript() async throws {
        let site = try await StaticApp("<script src=\"http://localhost:2734/bridge.js\"></script>")
        let other = await MissingScript.cause(at: site.url, port: 4000)
        #expect(other?.hasPrefix("its script tag names port 2734, and this daemon has port 4000.") == true)
        #expect(await MissingScript.cause(at: site.url, port: 2734) == nil)
        let silent = await MissingScript.cause(at: "http://127.0.0.1:1/", port: 4000)
        #expect(silent?.hasPrefix("no server answers at http://127.0.0.1:1: ") == true)
    }

    @Test func showsNoScripts() async throws {
        let failure = try await failure(of: "- expect message: {name: ActionButton}\n- wait: done\n  timeout: 300ms")
        #expect(failure.records.contains { $0.event.kind == .message })
        #expect(!failure.records.contains { [.evaluate, .callAsync, .result].contains($0.event.kind) })
    }
}
