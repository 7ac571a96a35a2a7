import BridgeBrowsers
import BridgeProtocol
import BridgeServer

/// A browser that bridged drives, in which each case has a window of its own. On the main actor.
@MainActor final class DrivenWindows: CaseBrowser {
    private let browser: any DrivenBrowser
    private let link: DaemonLink
    private let driver: NativeSide

    /// - Throws: `BrowserError` if the browser does not start.
    init(_ engine: BrowserEngine, server: BridgeServer, address: BridgeServer.Address) async throws {
        link = DaemonLink(host: "127.0.0.1", port: Int(address.port), token: server.token)
        driver = NativeSide(server: server, name: "driver")
        browser = try await engine.launch(LaunchOptions())
        try await open("driver")
        guard await driver.hasPage(within: .seconds(60)) else {
            throw BrowserError("\(engine) started, but its window never attached.")
        }
    }

    @discardableResult func open(_ name: String) async throws -> DrivenWebView {
        let webView = try await DrivenWebView(name, engine: browser.engine, link: link)
        try await browser.open(nil, in: webView)
        return webView
    }

    func close(_ webView: DrivenWebView) { browser.close(webView) }

    func makeWindow() -> any CaseWindow { DrivenWindow(self) }

    func evaluate(_ script: String, completion: @escaping (NativeResult) -> Void) {
        driver.evaluate(script, sourceURL: nil, world: nil, completion: completion)
    }

    var onEnd: (@MainActor (String) -> Void)? {
        get { browser.onEnd }
        set { browser.onEnd = newValue }
    }

    func closeBrowser() { browser.close() }
}

/// Opens a window for each case.
@MainActor final class DrivenWindow: CaseWindow {
    let beginsEmpty = true
    private let windows: DrivenWindows
    private var opened: [Task<DrivenWebView, any Error>] = []

    init(_ windows: DrivenWindows) { self.windows = windows }

    func show(_ url: String, webView: String, anew: Bool) {}

    func showEmpty(webView: String) { opened.append(Task { try await windows.open(webView) }) }

    func endCase() {
        let list = opened
        opened = []
        Task {
            for task in list { if let webView = try? await task.value { windows.close(webView) } }
        }
    }
}
