import BridgeBrowsers
import BridgeProtocol
import BridgeTesting
import TestSupport
import Testing

/// What driven browsers tell about the requests of their pages.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct RequestTests {
    private static let page = """
        <!doctype html><title>Posts</title><script src="/app.js"></script>
        <button onclick="fetch('/posts', {method: 'POST'})">Post</button>
        """

    @Test(arguments: [BrowserEngine.chromium, .firefox, .webkit])
    func tellsEachRequest(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let site = try DrivenSite(["/": .init(html: Self.page), "/posts": .init(html: "ok")])
        try await withBridgedApp(driving: engine) { app in
            try await app.open(site.url)
            try await app.expectRequests(to: "/", status: 200, count: 1)
            try await app.expectRequests(to: "/app.js", status: 404, count: 1)
            try await app.tap("button")
            try await app.expectRequests(to: "/posts", method: "POST", status: 200, count: 1)
            try await app.expectRequests(to: "/posts", count: 0)
            let document = app.traffic.compactMap { record in
                if case .request(let request, _) = record.event, request.type == "document" { request } else { nil }
            }
            #expect(document.map(\.url) == [site.url + "/"] && document.first?.mimeType == "text/html")
            let failure = await #expect(throws: BridgedAppFailure.self) {
                try await app.expectRequests(to: "/other", within: .milliseconds(100))
            }
            #expect(failure?.found.contains("none came; other requests: ") == true)
        }
    }
}
