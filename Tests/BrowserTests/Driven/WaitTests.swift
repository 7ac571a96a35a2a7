import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import Foundation
import TestSupport
import Testing

/// `wait(until:)`, which waits in the page.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct WaitTests {
    /// A driven engine; nil for a Chromium whose pages have the script tag.
    nonisolated private static let engines: [BrowserEngine?] = BrowserEngine.allCases.tried + [nil]

    private func withPages(
        _ engine: BrowserEngine?, _ pages: [String: String], _ body: @MainActor (BridgedApp) async throws -> Void
    ) async throws {
        guard let engine else {
            try requireInstalled(.chromium)
            return try await withBridgedApp(in: .chromium, app: .none) { app in
                for (path, html) in pages { _ = app.serve(html, at: path) }
                try await app.open("/start")
                try await body(app)
            }
        }
        try requireDriven(engine)
        let site = try DrivenSite(pages.mapValues { DrivenSite.Page(html: $0) })
        try await withBridgedApp(driving: engine, app: .none) { app in
            try await app.open(site.url + "/start")
            try await body(app)
        }
    }

    private func scripts(_ app: BridgedApp) -> [String] {
        app.traffic.map { "\($0.event.kind)" }.filter { ["evaluate", "callAsync", "result"].contains($0) }
    }

    /// Chromium answers `Page.navigate` only when the page's server has answered.
    @Test(arguments: BrowserEngine.allCases.tried) func openEndsAtItsTime_ifTheServerIsSilent(_ engine: BrowserEngine)
        async throws
    {
        try requireDriven(engine)
        let silent = try ListeningSocket()
        let origin = "http://127.0.0.1:\(silent.port)"
        try await withBridgedApp(driving: engine, app: .none) { app in
            for page in ["/demo/", nil] {
                let start = ContinuousClock.now
                let failure = await #expect(throws: BridgedAppFailure.self) {
                    try await app.open(origin, within: .seconds(3))
                }
                #expect(failure?.found == "\(origin) accepted the connection and has not answered for 3 s")
                // The time in which the browser starts is its own.
                if page == nil { #expect(ContinuousClock.now - start < .seconds(5)) }
                if let page { try await app.open(page) }
            }
        }
        withExtendedLifetime(silent) {}
    }

    @Test(arguments: engines) func makesTwoRecords(_ engine: BrowserEngine?) async throws {
        let html = "<!doctype html><title>Start</title><script>setTimeout(() => { late = 1 }, 700)</script>"
        try await withPages(engine, ["/start": html]) { app in
            try await app.wait(until: "window.late")
            #expect(scripts(app) == ["callAsync", "result"])
        }
    }

    @Test(arguments: engines) func goesOnInTheNextPage(_ engine: BrowserEngine?) async throws {
        let pages = [
            "/start": "<!doctype html><script>setTimeout(() => { location.href = '/second' }, 300)</script>",
            "/second": "<!doctype html><script>setTimeout(() => { location.href = '/third' }, 300)</script>",
            "/third": "<!doctype html><p id=there>There</p>",
        ]
        try await withPages(engine, pages) { app in
            try await app.wait(until: "document.getElementById('there')")
            // One wait in each document; the first ones end with their documents.
            #expect(scripts(app).filter { $0 == "callAsync" }.count <= 4)
        }
    }

    @Test(arguments: engines) func takesAnythingThatIfTakes(_ engine: BrowserEngine?) async throws {
        let html = """
            <!doctype html><title>Start</title><p>Text</p>
            <script>condition = last = changed = isOver = 7; count = 0</script>
            """
        try await withPages(engine, ["/start": html]) { app in
            for text in [
                "document.querySelector('p')", "1n", "Promise.resolve('text')", "await Promise.resolve(1)", "() => 1",
                "condition + last + changed + isOver === 28", "count += 1, count > 3 // and more",
                "const title = document.title; title === 'Start'", "var own = 1; if (own) document.body",
                // It changes the page each time.
                "document.body.append(' '), ++count > 30",
            ] {
                try await app.wait(until: text)
            }
            await #expect(throws: BridgedAppFailure.self) { try await app.wait(until: "nothing.there") }
            await #expect(throws: BridgedAppFailure.self) { try await app.wait(until: "1 +") }
        }
    }

    /// A policy can forbid `eval` to everybody but the browser.
    @Test(
        arguments: BrowserEngine.allCases.tried, ["script-src 'unsafe-inline'", "require-trusted-types-for 'script'"])
    func policyForbidsNoStatements(_ engine: BrowserEngine, _ policy: String) async throws {
        let html = """
            <!doctype html><meta http-equiv=Content-Security-Policy content="\(policy)"><title>Start</title>
            <script>setTimeout(() => { late = 1 }, 300)</script>
            """
        try await withPages(engine, ["/start": html]) { app in
            try await app.wait(until: "var isLate = window.late === 1; isLate")
            try await app.wait(until: "var element = document.body; element")
            let error = await #expect(throws: BridgedAppFailure.self) {
                try await app.wait(until: "var none = null; none", within: .milliseconds(200))
            }
            #expect(error?.found.contains("it was null") == true, "\(error?.found ?? "")")
            await #expect(throws: BridgedAppFailure.self) { try await app.wait(until: "var none; none.there") }
        }
    }

    @Test(arguments: engines) func endsInThePage_ifItIsCancelled(_ engine: BrowserEngine?) async throws {
        let html = "<!doctype html><title>Start</title><script>looks = 0</script>"
        try await withPages(engine, ["/start": html]) { app in
            let wait = Task { try await app.wait(until: "looks += 1, false", within: .seconds(60)) }
            try await app.wait(until: "looks > 3")
            wait.cancel()
            await #expect(throws: CancellationError.self) { try await wait.value }
            let more = "const before = looks; await new Promise((next) => setTimeout(next, 200)); return looks - before"
            #expect(try await app.callAsync(more, as: Int.self) == 0)
        }
    }

    /// The page's own test may have replaced its timers by ones that it moves on itself.
    @Test(arguments: engines) func needsNoTimersOfThePage(_ engine: BrowserEngine?) async throws {
        let html = """
            <!doctype html><title>Start</title>
            <script>count = 0; window.setTimeout = window.setInterval = window.requestAnimationFrame = () => 1</script>
            """
        try await withPages(engine, ["/start": html]) { app in
            try await app.wait(until: "count += 1, count > 3")
            let error = await #expect(throws: BridgedAppFailure.self) {
                try await app.wait(until: "window.never", within: .milliseconds(200))
            }
            #expect(error?.found.contains("it was undefined") == true, "\(error?.found ?? "")")
        }
    }

    @Test(arguments: engines) func errorSaysWhatIsThere(_ engine: BrowserEngine?) async throws {
        let html = "<!doctype html><title>Start</title>"
        try await withPages(engine, ["/start": html]) { app in
            for (text, found) in [
                ("document.querySelector('#done')", "the last time it was null, in http"), ("0n", "it was number 0"),
                ("document.title === 'End'", "it was boolean false"), ("''", "it was"),
                ("undefined", "it was undefined"),
                ("new Promise(() => {})", "it was a promise that is not settled"),
            ] {
                let error = await #expect(throws: BridgedAppFailure.self) {
                    try await app.wait(until: text, within: .milliseconds(200))
                }
                #expect(error?.expected == "\(text) to be true within 0.2 seconds")
                #expect(error?.found.contains(found) == true, "\(error?.found ?? "")")
            }
            let busy = "(() => { const end = Date.now() + 3000; while (Date.now() < end); })()"
            let error = await #expect(throws: BridgedAppFailure.self) {
                try await app.wait(until: busy, within: .milliseconds(200))
            }
            #expect(error?.found.contains("does not end") == true, "\(error?.found ?? "")")
        }
    }

    @Test(arguments: engines) func endsWithADialogThatNobodyAnswers(_ engine: BrowserEngine?) async throws {
        let html = "<!doctype html><script>setTimeout(() => { alert('Saved') }, 300)</script>"
        try await withPages(engine, ["/start": html]) { app in
            let start = ContinuousClock.now
            let error = await #expect(throws: BridgedAppFailure.self) {
                try await app.wait(until: "window.never", within: .seconds(60))
            }
            #expect(error?.found.contains("Saved") == true && ContinuousClock.now - start < .seconds(30))
        }
    }

    @Test(arguments: engines) func controlMethodWaits(_ engine: BrowserEngine?) async throws {
        let pages = [
            "/start": "<!doctype html><script>setTimeout(() => { location.href = '/second' }, 300)</script>",
            "/second": "<!doctype html><p id=there>There</p>",
        ]
        try await withPages(engine, pages) { app in
            let control = try ControlClient(app.address)
            _ = try await control.call("script.wait", #"{"condition":"document.getElementById('there')"}"#)
            #expect(scripts(app).filter { $0 == "callAsync" }.count <= 3)
            for (condition, code, text) in [
                ("window.never", RPCError.Code.waitTimedOut, "within 200 ms. The last time it was undefined, in http"),
                ("nothing.there", .javaScriptException, "ReferenceError"),
            ] {
                let error = await #expect(throws: RPCError.self) {
                    try await control.call("script.wait", #"{"condition":"\#(condition)","timeoutMs":200}"#)
                }
                #expect(error?.code == code && error?.message.contains(text) == true, "\(error?.message ?? "")")
            }
        }
    }
}
