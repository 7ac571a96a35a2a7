import BridgeBrowsers
import BridgeServer
import EmulatedApp

/// The browser of a test, and its window.
@MainActor final class TestWindow {
    let engine: TestBrowser
    private let server: BridgeServer
    private let latestRecords: LatestRecords
    private var browser: Browser?
    private var drivenBrowser: (any DrivenBrowser)?

    init(_ engine: TestBrowser, of server: BridgeServer, _ latestRecords: LatestRecords) {
        (self.engine, self.server, self.latestRecords) = (engine, server, latestRecords)
    }

    var isOpen: Bool { browser != nil || drivenBrowser != nil }

    /// Starts a browser that bridged drives. One that loads `bridge.js` starts with its page.
    func startBrowser() async throws {
        guard case .driven(let engine) = engine else { return }
        do { drivenBrowser = try await engine.launch(LaunchOptions()) } catch {
            throw latestRecords.failure("\(engine) to start", "\(error)".withoutStop)
        }
    }

    /// Shows a page in a new window.
    /// - Parameter address: the daemon's.
    func open(_ url: String, at address: BridgeServer.Address, within timeout: Duration) async throws {
        switch engine {
        case .attached(let engine):
            let scope = server.scope(for: "main") ?? server.defaultScope
            browser = try Browser(engine, opening: server.launchURL(to: url), userAgent: scope.phoneUserAgent)
        case .driven(let engine):
            let link = DaemonLink(host: "127.0.0.1", port: Int(address.port), token: server.token)
            let opened = try await result(within: timeout) { [server, drivenBrowser] in
                let webView = try await DrivenWebView("main", engine: engine, link: link)
                // Records a load that has failed, as the app does for one that a page tells.
                webView.onLoadFailure = { [weak server] url, reason in
                    server?.traffic.problem(
                        .pageLost, "\(url) did not load: \(reason)",
                        hint: "Start the app's server, or check the address.")
                }
                try await drivenBrowser?.open(url, in: webView)
                return true
            }
            guard opened != nil else {
                throw latestRecords.failure("a window of \(engine) within \(timeout)", "it opened none")
            }
        }
    }

    func close() {
        browser?.close()
        browser = nil
        drivenBrowser?.close()
        drivenBrowser = nil
    }
}
