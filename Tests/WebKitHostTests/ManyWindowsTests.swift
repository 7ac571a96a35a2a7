import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

/// Windows of one process that close while everything is under way. `BRIDGED_WINDOWS=300` opens more of them.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct ManyWindowsTests {
    @Test func processOutlivesItsWindows() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["BRIDGED_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
        print("BRIDGED_SEED=\(seed)")
        try await withServer { server, address in
            let link = DaemonLink(host: "127.0.0.1", port: Int(address.port), token: server.token)
            let windows = try await ManyWindows(server, link, seed: seed)
            defer { windows.browser.close() }
            do {
                try await windows.run(environment["BRIDGED_WINDOWS"].flatMap { Int($0) } ?? 24)
            } catch {
                Issue.record("\(windows.ending ?? "\(error)")")
            }
            #expect(windows.ending == nil)
        }
    }
}

@MainActor private final class ManyWindows {
    let browser: any DrivenBrowser
    private(set) var ending: String?
    private let server: BridgeServer
    private let link: DaemonLink
    private let site: Site
    private var generator: SeededGenerator
    private var attached: [String: AsyncStream<Page>.Continuation] = [:]
    /// Replies that the windows' pages wait for.
    private var held: [Reply] = []
    private var opened = 0

    /// A page that posts as fast as it gets replies, and once more when it leaves.
    private static let html = """
        <!doctype html><title>Busy</title><iframe srcdoc="<script>webkit.messageHandlers.echo.postMessage([1])</script>"></iframe>
        <script>
        const value = () => Array.from({ length: 50 }, (_, index) => ({ [`k${Math.random()}`]: [index, `${index}`] }))
        const post = handlers => handlers.echo.postMessage(value()).then(() => post(handlers))
        for (let count = 0; count < 3; count++) post(webkit.messageHandlers)
        webkit.messageHandlers.hold.postMessage(value())
        for (const type of ["beforeunload", "pagehide", "unload", "visibilitychange"]) {
          addEventListener(type, () => { for (let n = 0; n < 9; n++) webkit.messageHandlers.echo.postMessage(value()) })
        }
        </script>
        """

    init(_ server: BridgeServer, _ link: DaemonLink, seed: UInt64) async throws {
        self.server = server
        self.link = link
        generator = SeededGenerator(seed: seed)
        site = try Site(["/": ManyWindows.html])
        browser = try await BrowserEngine.webkit.launch(LaunchOptions())
        server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
        server.addHandler(
            "hold",
            .replying { [weak self, server] _, context, reply in
                self?.held.append(reply)
                guard let page = server.pages.first(where: { $0.id == context.page }) else { return }
                self?.attached.removeValue(forKey: page.webView)?.yield(page)
            })
        browser.onEnd = { [weak self] reason in
            self?.ending = reason
            for (_, waiter) in self?.attached ?? [:] { waiter.finish() }
        }
    }

    /// Opens and closes a number of windows, three at a time, beside one that stays open.
    func run(_ count: Int) async throws {
        try await browser.open(nil, in: try await DrivenWebView("first", engine: .webkit, link: link))
        async let second: Void = openAndClose(until: count)
        async let third: Void = openAndClose(until: count)
        try await openAndClose(until: count)
        _ = try await (second, third)
        let (last, page) = try await open()
        #expect(try await page.value(of: "1 + 1").number == 2)
        browser.close(last)
    }

    private func open() async throws -> (DrivenWebView, Page) {
        opened += 1
        let webView = try await DrivenWebView("window\(opened)", engine: .webkit, link: link)
        // The page may post before `open` returns.
        let (pages, page) = AsyncStream.makeStream(of: Page.self)
        attached[webView.name] = page
        try await browser.open(site.url, in: webView)
        for await page in pages { return (webView, page) }
        throw CancellationError()
    }

    private func openAndClose(until count: Int) async throws {
        while opened < count { try await openAndClose() }
    }

    private func openAndClose() async throws {
        let (webView, page) = try await open()
        for _ in 0..<Int.random(in: 0...4, using: &generator) { disturb(page) }
        if Bool.random(using: &generator) { _ = try? await page.value(of: "1 + 1") }
        browser.close(webView)
        guard held.count > 5 else { return }
        // Most of their pages are gone by now.
        for reply in held where Bool.random(using: &generator) { reply.resolve(.string("late")) }
        held = []
    }

    /// Begins something that does not end before the window closes.
    private func disturb(_ page: Page) {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: page.callAsync("await new Promise(() => {})") { _ in }
        case 1: page.callAsync("return await new Promise(end => setTimeout(end, 20, 'x'.repeat(1e6)))") { _ in }
        case 2: server.addHandler("extra\(opened)", .plain { _, _ in .handled })
        case 3: server.removeHandler("extra\(opened - 1)")
        case 4:
            let script = UserScript(source: "var late = 1", injectionTime: .atDocumentEnd, forMainFrameOnly: false)
            server.defaultScope.userScripts = Bool.random(using: &generator) ? [script] : []
        case 5: page.navigate(.reload)
        case 6: page.command(.snapshot())
        default: page.evaluate("open(location.href); 0", completion: nil)
        }
    }
}
