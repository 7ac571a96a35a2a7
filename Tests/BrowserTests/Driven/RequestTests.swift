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

    @Test(arguments: [BrowserEngine.chromium, .firefox, .webkit].tried)
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

    /// Each request ends with a record, also one whose body no script reads, or whose document leaves.
    @Test(arguments: [BrowserEngine.chromium, .firefox, .webkit].tried)
    func reportsRequests_whoseBodiesAreNotRead(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let answer = DrivenSite.Page(html: "ok", fields: ["Cache-Control: no-store"])
        let never = DrivenSite.Page(html: "", isAnswered: false)
        let site = try DrivenSite([
            "/": .init(html: "<!doctype html><title>Start</title>"), "/next": .init(html: "<!doctype html>Next"),
            "/unread": answer, "/posted": answer, "/kept": answer, "/held": answer, "/beacon": answer, "/head": answer,
            "/image": answer, "/target": answer, "/leaving": answer, "/empty": .init(html: "", status: 204),
            "/long": .init(html: String(repeating: "x", count: 2_000_000), fields: ["Cache-Control: no-store"]),
            "/redirected": .init(html: "", status: 302, fields: ["Location: /target"]), "/aborted": never,
            "/left": never,
        ])
        try await withBridgedApp(driving: engine) { app in
            try await app.open(site.url)
            try await app.run(
                """
                fetch("/unread")
                fetch("/posted", { method: "POST", body: "x" })
                fetch("/kept", { method: "POST", body: "x", keepalive: true })
                fetch("/held").then((response) => (window.held = response))
                fetch("/long")
                fetch("/head", { method: "HEAD" })
                fetch("/empty")
                fetch("/redirected")
                navigator.sendBeacon("/beacon", "x")
                new Image().src = "/image"
                const aborting = new AbortController()
                fetch("/aborted", { signal: aborting.signal }).catch(() => {})
                setTimeout(() => aborting.abort(), 200)
                """)
            for path in ["/unread", "/posted", "/kept", "/held", "/long", "/head", "/beacon", "/image", "/target"] {
                try await app.expectRequests(to: path, status: 200, count: 1)
            }
            try await app.expectRequests(to: "/empty", status: 204, count: 1)
            try await app.expectRequests(to: "/redirected", status: 302, count: 1)
            try await app.expectRequests(to: "/aborted", count: 1)
            try await app.run(
                """
                fetch("/left").catch(() => {})
                addEventListener("pagehide", () => navigator.sendBeacon("/leaving", "x"))
                setTimeout(() => (location = "/next"))
                """)
            try await app.expectRequests(to: "/left", count: 1)
            try await app.expectRequests(to: "/leaving", method: "POST", count: 1)
            let failed = app.traffic.compactMap { record in
                if case .request(let request, _) = record.event, request.failure != nil { request.url } else { nil }
            }
            // The app may have cancelled the load of the next document, to begin it itself.
            #expect(Set(failed).subtracting([site.url + "/next"]) == Set(["/aborted", "/left"].map { site.url + $0 }))
        }
    }
}
