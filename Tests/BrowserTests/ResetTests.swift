import BridgeBrowsers
import BridgeProtocol
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// What `app.reset` deletes in browsers, and what it says about the rest.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct ResetTests {
    private static let store = """
        document.cookie = "seen=1; Path=/"
        document.cookie = "deep=1; Path=/shop/cart"
        localStorage.seen = sessionStorage.seen = 1
        const request = indexedDB.open("orders")
        const opened = await new Promise((done) => { request.onsuccess = () => done(request.result) })
        if (isClosed) opened.close()
        else self.opened = opened
        await self.caches?.open("pages")
        if (worker) await navigator.serviceWorker?.register(worker)
        return null
        """

    /// How many of each kind are there.
    private static let stored = """
        const cookies = document.cookie.split("; ").filter(Boolean)
        const workers = await navigator.serviceWorker?.getRegistrations() ?? []
        const databases = await indexedDB.databases()
        const lists = [cookies, localStorage, sessionStorage, databases, await self.caches?.keys() ?? [], workers]
        return lists.map(({ length }) => length).join(" ")
        """

    private func store(_ app: BridgedApp, worker: String, isClosed: Bool = true) async throws {
        let arguments: ScriptValue = ["worker": .string(worker), "isClosed": .bool(isClosed)]
        _ = try await app.callAsync(Self.store, arguments: arguments, as: Int?.self)
    }

    private func stored(_ app: BridgedApp) async throws -> String { try await app.callAsync(Self.stored) }

    private func reset(_ app: BridgedApp) async throws -> [String] {
        let result = try await ControlClient(app.address).call("app.reset")
        return result["notCleared"]?.elements.compactMap(\.string) ?? ["no answer"]
    }

    @Test(arguments: BrowserEngine.allCases.tried) func resetClearsAllThatPagesStore(_ engine: BrowserEngine)
        async throws
    {
        try requireDriven(engine)
        let page = DrivenSite.Page(
            html: "<!doctype html><title>Shop</title>", fields: ["Set-Cookie: session=1; HttpOnly; Path=/shop"])
        let pages = [
            "/shop/cart": page, "/shop/after": .init(html: "<!doctype html>"),
            "/worker.js": .init(html: "", type: "text/javascript", fields: ["Service-Worker-Allowed: /"]),
        ]
        let (site, other) = (try DrivenSite(pages), try DrivenSite(pages))
        try await withBridgedApp(driving: engine, app: .none) { app in
            try await app.open(other.url + "/shop/cart")
            try await store(app, worker: "")
            try await app.open(site.url + "/shop/cart")
            try await store(app, worker: "/worker.js")
            #expect(try await stored(app).hasPrefix("2 1 1 1 "))
            let left = try await reset(app)
            #expect(try await stored(app) == "0 0 0 0 0 0")
            // WebDriver BiDi has a command for cookies alone.
            let isReached = engine != .firefox
            #expect(left == (isReached ? [] : ["storage of \(other.url): no page of it is open"]))
            try await app.open(site.url + "/shop/after")
            #expect(site.requests.last { $0.contains("/shop/after ") }?.contains("Cookie:") == false)
            try await app.open(other.url + "/shop/cart")
            #expect(try await stored(app).hasPrefix(isReached ? "0 0 " : "0 1 "))
        }
    }

    @Test(arguments: BrowserEngine.allCases.tried)
    func cookiesAreListed_set_andCleared(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let site = try DrivenSite([
            "/": .init(html: "<!doctype html>", fields: ["Set-Cookie: session=1; HttpOnly; Path=/"])
        ])
        try await withBridgedApp(driving: engine, app: .none) { app in
            try await app.open(site.url)
            let tool = try ControlClient(app.address)
            func names() async throws -> [String] {
                try await tool.call("cookies.list")["cookies"]?.elements.compactMap { $0["name"]?.string }.sorted()
                    ?? []
            }
            _ = try await tool.call("cookies.set", #"{"name":"theme","value":"dark","expires":4000000000}"#)
            _ = try await tool.call("cookies.set", #"{"name":"deep","value":"1","path":"/deep","httpOnly":true}"#)
            let cookies = try #require(try await tool.call("cookies.list")["cookies"]?.elements)
            let theme = try #require(cookies.first { $0["name"]?.string == "theme" })
            #expect(theme["value"]?.string == "dark" && theme["domain"]?.string == "127.0.0.1", "\(theme.text)")
            #expect(theme["path"]?.string == "/" && theme["expires"]?.number ?? 0 > 1_700_000_000, "\(theme.text)")
            #expect(cookies.first { $0["name"]?.string == "session" }?["httpOnly"]?.bool == true)
            #expect(try await app.evaluate("document.cookie", as: String.self) == "theme=dark")
            _ = try await tool.call("cookies.clear", #"{"name":"theme","domain":"127.0.0.1"}"#)
            #expect(try await names() == ["deep", "session"])
            _ = try await tool.call("cookies.clear", #"{"path":"/deep"}"#)
            #expect(try await names() == ["session"])
            _ = try await tool.call("cookies.clear")
            #expect(try await names() == [])
        }
    }

    @Test func withTheTag_resetSaysWhatScriptsCannotDelete() async throws {
        try requireInstalled(.chromium)
        try await withBridgedApp(in: .chromium, app: .none) { app in
            try await app.open(app.serve("<!doctype html><title>Shop</title>"))
            try await store(app, worker: "")
            let origin: String = try await app.evaluate("origin")
            let hidden = "cookies of \(origin) that scripts do not see (HttpOnly): bridged does not drive the browser"
            #expect(try await reset(app) == [hidden])
            #expect(try await stored(app) == "0 0 0 0 0 0")
            try await store(app, worker: "", isClosed: false)
            #expect(try await reset(app) == ["IndexedDB of \(origin): a page has orders open", hidden])
            let error = try await ControlClient(app.address).error("cookies.list", "{}")
            #expect(
                error["message"]?.string?.contains("cannot reach the cookies of its browser") == true, "\(error.text)")
        }
    }
}
