import BridgeBrowsers
import BridgeProtocol
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// Flows use one browser after the other, and notice nothing of those before them.
@MainActor @Suite(.timeLimit(.minutes(4)), .browserTurns) struct FlowIsolationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A page that says what it finds of an earlier visit. Each visit leaves something of every kind.
    private static let page = """
        <!doctype html><meta name="viewport" content="width=device-width"><title>Visit</title><p id="found"></p>
        <script type="module">
          const found = []
          const note = (kind, value) => { if (value) found.push(kind) }
          note("cookie", document.cookie)
          note("localStorage", localStorage.length)
          note("sessionStorage", sessionStorage.length)
          note("history", history.length > 2)
          note("indexedDB", (await indexedDB.databases()).length)
          if (globalThis.caches) note("caches", (await caches.keys()).length)
          note("serviceWorker", (await navigator.serviceWorker?.getRegistrations())?.length)
          note("name", window.name)
          note("colours", matchMedia("(prefers-color-scheme: dark)").matches)
          note("size", innerWidth !== 393 || innerHeight !== 852)
          note("agent", !navigator.userAgent.includes("iPhone"))
          await fetch("/kept")
          document.cookie = "left=1; max-age=1000"
          localStorage.left = sessionStorage.left = window.name = "left"
          await new Promise((done) => { indexedDB.open("left").onsuccess = done })
          await globalThis.caches?.open("left")
          await navigator.serviceWorker?.register("/worker.js")
          document.getElementById("found").textContent = `Found ${found.join(" ") || "nothing"}.`
        </script>
        """

    /// Serves the page, and an answer that browsers keep.
    private func site() throws -> DrivenSite {
        try DrivenSite([
            "/": .init(html: Self.page),
            "/kept": .init(html: "1", type: "text/plain", fields: ["Cache-Control: max-age=1000"]),
            "/worker.js": .init(html: "", type: "text/javascript"),
        ])
    }

    private func flow(_ name: String, _ steps: String) throws -> String {
        try "name: \(name)\nsteps:\n\(steps)".write(
            toFile: folder.path("\(name).yml"), atomically: true, encoding: .utf8)
        return folder.path("\(name).yml")
    }

    @Test(arguments: BrowserEngine.allCases.tried) func flowsLeaveNothing(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let site = try site()
        // A second visit within a flow finds what the first has left, so that the test would notice it.
        let steps = """
            - open: \(site.url)/
            - expect text: Found nothing.
            - open: \(site.url)/
            - expect text: Found cookie localStorage sessionStorage
            - expect text: indexedDB
            """
        let names = ["a", "b", "c", "d", "e"]
        let flows = try names.map { try flow($0, steps) }
        let outcome = try await Executable.run(["test"] + flows + ["--in", engine.rawValue])
        #expect(outcome.status == 0 && outcome.output.hasSuffix("5 passed.\n"), "\(outcome.output)\(outcome.errors)")
        // Each browser has been used again, so this is not what new browsers show.
        #expect(!outcome.errors.contains("did not forget"), "\(outcome.errors)")
        // A browser that has kept the answer does not ask again. WebKit keeps none.
        let loads = site.requests.count { $0.hasPrefix("GET /kept ") }
        #expect(loads == names.count * (engine == .webkit ? 2 : 1))
    }

    @Test(arguments: [BrowserEngine.chromium, .firefox].tried)
    func browserIsUsedAgain_unlessItHasEnded(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let pool = BrowserPool(hasSpares: false)
        pool.onProblem = { Issue.record("\($0)") }
        defer { pool.close() }
        let first = try await pool.take(engine, .iPhone)
        let process = first.processID
        pool.putBack(first, .iPhone)
        let second = try await pool.take(engine, .iPhone)
        #expect(second.processID == process)
        second.close()
        pool.putBack(second, .iPhone)
        let third = try await pool.take(engine, .iPhone)
        #expect(third.processID != process && !third.isClosed)
        third.close()
    }
}
