import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import Foundation
import PathConfiguration
import TestSupport
import Testing

@testable import EmulatedApp

/// `visits.explain` with a real Turbo, in browsers that report requests.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct ExplanationTests {
    @Test(arguments: [BrowserEngine.chromium, .firefox, .webkit].tried)
    func tellsWhoRequestedThePageAfterAForm(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        var configuration = EmulatedApp.Configuration()
        // Driven WebKit has no interface objects, which Android's adapter needs.
        configuration.framework = engine == .webkit ? .ios12 : .android13
        configuration.pathConfiguration = PathConfiguration(
            sources: [.file(Repository.file("Examples/TurboApp/path-configuration.json"))],
            options: configuration.framework.pathOptions())
        let server = try BridgeServer()
        let emulated = try EmulatedApp(server: server, configuration)
        let app = try await BridgedApp(.driven(engine), server: server, emulatedApp: emulated)
        app.timeout = .seconds(20)
        do {
            let web = try await WebApp(.turbo)
            let completed = TrafficFilter([.init(.kind, "app"), .init(.text, "visitCompleted")])
            try await app.open(web.url + "/")
            var last = try await server.traffic.next(completed, after: 0, timeout: app.timeout).number
            try emulated.perform("visit", ["url": "/posts/new"])
            last = try await server.traffic.next(completed, after: last, timeout: app.timeout).number
            try await app.run("document.getElementById('title').value = 'One'")
            try await app.tap("#save")
            // The response of the redirect may end after the visit.
            let shown = TrafficFilter([.init(.kind, "request"), .init(.text, "/posts/1")])
            _ = try await server.traffic.next(shown, after: last, timeout: app.timeout)
            _ = try await server.traffic.next(completed, after: last, timeout: app.timeout)
            let post = try #require(emulated.visits.explanations().last)
            #expect(post.requests.map { "\($0.method) \($0.status ?? 0)" } == ["POST 303", "GET 200"])
            #expect(post.requests.last?.because == "the browser follows the redirect of POST /posts")
            #expect(post.flash == "GET /posts/1 can show it, and the app shows that response without another request.")
            #expect(post.elsewhere.first?.frameworks.contains(configuration.framework.name) == true)
            #expect(post.elsewhere.first?.isSame == true)
            await app.close()
        } catch {
            await app.close()
            throw error
        }
    }
}
