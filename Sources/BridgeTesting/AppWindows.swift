import BridgeBrowsers
public import BridgeProtocol
public import BridgeServer
import Foundation

/// Opens a window for each web view of a real app that needs a page, and closes it when the web view has gone. The browser
/// starts with the first one, without a screen.
///
/// A web view that loads nothing and evaluates nothing gets none, so that most tests need no browser.
@MainActor public final class AppWindows {
    private let server: BridgeServer
    private var browser: (any DrivenBrowser)?
    private var start: Task<Void, any Error>?
    /// The web views that have a window or are getting one. The value is nil until the window opens.
    private var windows: [String: DrivenWebView?] = [:]

    private let engine: BrowserEngine?

    /// - Parameter engine: nil for the one that `BRIDGED_ENGINE` names.
    public init(of server: BridgeServer, in engine: BrowserEngine? = nil) {
        self.server = server
        self.engine = engine
        server.onPageMissing = { [weak self] in self?.open($0) }
        server.onWebViewGone = { [weak self] in self?.close($0) }
    }

    /// Ends the browser.
    public func close() { browser?.close() }

    private func open(_ name: String) {
        guard windows[name] == nil else { return }
        windows[name] = .some(nil)
        Task {
            do {
                let browser = try await startedBrowser()
                let webView = try await DrivenWebView(name, engine: browser.engine, link: link())
                webView.onProblem = { [weak self] in self?.say($0) }
                // The test may have released the web view meanwhile.
                guard windows[name] != nil else { return }
                windows[name] = webView
                try await browser.open(nil, in: webView)
            } catch {
                windows[name] = nil
                server.traffic.problem(
                    .webViewNotOpened, "The browser opened no window for the web view \(name): \(error)",
                    hint: "Install the browser, or name another one: --in chromium or BRIDGED_ENGINE=chromium.")
            }
        }
    }

    private func close(_ name: String) {
        guard let webView = windows.removeValue(forKey: name) ?? nil else { return }
        browser?.close(webView)
    }

    private func startedBrowser() async throws -> any DrivenBrowser {
        let start = start ?? Task { try await startBrowser() }
        self.start = start
        try await start.value
        guard let browser else { throw BrowserError("The browser has ended.") }
        return browser
    }

    private func startBrowser() async throws {
        _ = try await server.start()
        var options = LaunchOptions()
        // That of `UIScreen.main` in apps that run their own Swift.
        options.device = .iPhone
        let browser = try await (engine ?? AppWindows.engine()).launch(options)
        browser.onEnd = { [weak self] _ in
            guard let self else { return }
            // The next web view starts another browser.
            (self.start, self.browser, self.windows) = (nil, nil, [:])
        }
        self.browser = browser
        // A browser ends with its last window. This one stays.
        try await browser.open(nil, in: DrivenWebView("app-tests", engine: browser.engine, link: link()))
    }

    private func link() throws -> DaemonLink {
        guard let address = server.address else { throw BrowserError("The server of the tests does not listen.") }
        return DaemonLink(host: "127.0.0.1", port: Int(address.port), token: server.token)
    }

    /// The browser that `BRIDGED_ENGINE` names, or else the best one that is installed.
    /// - Throws: an error that names the browsers.
    public static func engine() throws -> BrowserEngine {
        guard let name = ProcessInfo.processInfo.environment["BRIDGED_ENGINE"] else {
            return try BrowserEngine.firstInstalled()
        }
        guard let engine = BrowserEngine(rawValue: name) else {
            let names = BrowserEngine.allCases.map(\.rawValue).joined(separator: ", ")
            throw BrowserError("BRIDGED_ENGINE is '\(name)'. It names one of: \(names).")
        }
        return engine
    }

    private func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
