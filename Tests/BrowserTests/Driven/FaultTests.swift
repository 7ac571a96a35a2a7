import BridgeBrowsers
import BridgeProtocol
import BridgeTesting
import TestSupport
import Testing

/// Faults that driven browsers apply to requests.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenFaultTests {
    private static let ask = """
        try { const answer = await fetch("/posts"); return `${answer.status} ${await answer.text()}` }
        catch (error) { return "failed" }
        """

    private func withSite(
        _ engine: BrowserEngine, _ body: @MainActor (BridgedApp, DrivenSite) async throws -> Void
    ) async throws {
        try requireDriven(engine)
        let site = try DrivenSite([
            "/": .init(html: "<!doctype html><title>Start</title>"), "/posts": .init(html: "ok"),
            "/next": .init(html: "<!doctype html><title>Next</title>"),
        ])
        try await withBridgedApp(driving: engine, app: .none) { app in
            try await app.open(site.url)
            try await body(app, site)
        }
    }

    private func requests(_ site: DrivenSite) -> Int { site.requests.count { $0.hasPrefix("GET /posts ") } }

    @Test(arguments: [BrowserEngine.chromium, .firefox].tried)
    func appliesFaultsToRequests(_ engine: BrowserEngine) async throws {
        try await withSite(engine) { app, site in
            for (kind, answer, reachesServer) in [
                (Fault.Kind.offline, "failed", false), (.status(503), "503 <", false), (.missing, "404 ", false),
                (.cut, "failed", true), (.slow(.milliseconds(300)), "200 ok", true),
            ] {
                let before = requests(site)
                try app.fault("/posts", kind, times: 1)
                let began = ContinuousClock.now
                let found = try await app.callAsync(Self.ask, as: String.self)
                #expect(found.hasPrefix(answer), "\(kind): \(found)")
                if case .slow(let delay) = kind { #expect(ContinuousClock.now - began >= delay) }
                #expect(requests(site) == before + (reachesServer ? 1 : 0), "\(kind)")
                let record = try await app.nextRecord(.init([.init(.kind, "request"), .init(.text, "/posts")]))
                #expect(record.json["fault"]?.string != nil, "\(record)")
                // It was for one request.
                #expect(try await app.callAsync(Self.ask, as: String.self) == "200 ok")
                _ = try await app.nextRecord(.init([.init(.kind, "request"), .init(.text, "/posts")]))
            }
        }
    }

    @Test(arguments: BrowserEngine.allCases.tried)
    func loadFails_ifTheDeviceIsOffline(_ engine: BrowserEngine) async throws {
        try await withSite(engine) { app, site in
            try app.fault("/next", .offline, times: 1)
            try await app.run("location.href = '/next'")
            let record = try await app.nextRecord(.init([.init(.kind, "request"), .init(.text, "/next")]))
            #expect(record.json["failure"] != nil && record.json["fault"]?.string == "f1")
            #expect(!site.requests.contains { $0.contains("GET /next") })
        }
    }
}
