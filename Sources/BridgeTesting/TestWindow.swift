import BridgeBrowsers
import BridgeServer
import EmulatedApp

/// The browser of a test, and its window.
@MainActor final class TestWindow {
    let engine: TestBrowser
    /// Whether a driven browser shows it on the screen.
    var isShown = false
    /// Has the driven browsers without a window on the screen; nil if the test starts its own.
    var pool: BrowserPool?
    private let server: BridgeServer
    private let latestRecords: LatestRecords
    private let device: Device?
    private var browser: Browser?
    private var drivenBrowser: (any DrivenBrowser)?

    /// - Parameter device: what a driven browser imitates; nil for a desktop browser.
    init(_ engine: TestBrowser, of server: BridgeServer, _ latestRecords: LatestRecords, device: Device?) {
        (self.engine, self.server, self.latestRecords, self.device) = (engine, server, latestRecords, device)
    }

    var isOpen: Bool { browser != nil || drivenBrowser != nil }

    /// Starts a browser that bridged drives. One that loads `bridge.js` starts with its page.
    func startBrowser() async throws {
        guard case .driven(let engine) = engine else { return }
        do { drivenBrowser = try await browser(engine) } catch {
            throw latestRecords.failure("\(engine) to start", "\(error)".withoutStop)
        }
    }

    private func browser(_ engine: BrowserEngine) async throws -> any DrivenBrowser {
        if let pool, !isShown { return try await pool.take(engine, device) }
        var options = LaunchOptions()
        options.isHeadless = !isShown
        options.device = device
        return try await engine.launch(options)
    }

    /// Shows a page in a new window, and returns when the window has begun to load it. The process of WebKit starts here.
    /// - Parameter address: the daemon's.
    func open(_ url: String, at address: BridgeServer.Address) async throws {
        switch engine {
        case .attached(let engine):
            let scope = server.scope(for: "main") ?? server.defaultScope
            browser = try Browser(engine, opening: server.launchURL(to: url), userAgent: scope.phoneUserAgent)
        case .driven(let engine):
            let link = DaemonLink(host: "127.0.0.1", port: Int(address.port), token: server.token)
            let webView = try await DrivenWebView("main", engine: engine, link: link)
            // Records a load that has failed, as the app does for one that a page tells.
            webView.onLoadFailure = { [weak server] url, reason in
                server?.traffic.problem(
                    .pageLost, "\(url) did not load: \(reason)",
                    hint: "Check the address, and whether the app's server runs.")
            }
            do { try await drivenBrowser?.open(url, in: webView) } catch {
                throw latestRecords.failure("\(engine) to open a window", "\(error)".withoutStop)
            }
        }
    }

    /// - Parameter keepsBrowser: whether a later test may have the browser.
    func close(keepsBrowser: Bool = false) {
        browser?.close()
        browser = nil
        if let drivenBrowser, keepsBrowser, let pool, !isShown {
            pool.putBack(drivenBrowser, device)
        } else {
            drivenBrowser?.close()
        }
        drivenBrowser = nil
    }
}
