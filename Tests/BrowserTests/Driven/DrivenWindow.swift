import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import Foundation
import TestSupport
import Testing

/// A window of a driven browser, for a daemon within the test.
@MainActor final class DrivenWindow {
    let server: BridgeServer
    let browser: any DrivenBrowser
    let site: DrivenSite
    let recorder: Recorder
    private(set) var problems: [String] = []
    private let link: DaemonLink

    init(
        _ browser: any DrivenBrowser, _ server: BridgeServer, _ address: BridgeServer.Address, _ site: DrivenSite
    ) {
        self.server = server
        self.site = site
        recorder = Recorder(server)
        link = DaemonLink(host: "127.0.0.1", port: Int(address.port), token: server.token)
        self.browser = browser
    }

    func open(_ path: String, in name: String = "main") async throws {
        let webView = try await DrivenWebView(name, engine: browser.engine, link: link)
        webView.onProblem = { [weak self] in self?.problems.append($0) }
        try await browser.open(site.url + path, in: webView)
    }

    /// Returns the page that shows a path of the site, or a whole address, when it is attached.
    /// - Parameter other: a page that is not meant.
    func page(_ path: String = "/", besides other: Page? = nil) async throws -> Page {
        let url = path.hasPrefix("/") ? site.url + path : path
        let found = try await recorder.first { [server] record in
            record.event.kind == .page && record.page != other?.id
                && server.pages.contains { $0.id == record.page && $0.url == url && $0.isAttached }
        }
        return try #require(server.pages.first { $0.id == found.page })
    }

    /// Waits for messages, and returns their bodies.
    func messages(to handler: String, count: Int) async throws -> [ScriptValue] {
        _ = try await recorder.first { [self] _ in bodies(to: handler).count >= count }
        return bodies(to: handler)
    }

    private func bodies(to handler: String) -> [ScriptValue] {
        recorder.records.compactMap { record in
            if case .message(handler, _, let body, _, _) = record.event { body } else { nil }
        }
    }
}

/// Runs `body` with a window that shows the site's page `/`. Other tests use the browser before and after it.
/// - Parameters:
///   - device: what the browser imitates; nil for a desktop browser.
///   - arguments: more arguments for the browser, which is then for this test alone.
@MainActor func withDrivenWindow(
    _ engine: BrowserEngine, _ pages: [String: DrivenSite.Page], device: Device? = nil, arguments: [String] = [],
    prepare: @MainActor (BridgeServer) -> Void = { _ in }, _ body: @MainActor (DrivenWindow) async throws -> Void
) async throws {
    try requireDriven(engine)
    try await withServer { server, address in
        prepare(server)
        let site = try DrivenSite(pages)
        let browser = try await browser(engine, device, arguments)
        var isForOthers = false
        defer { if isForOthers { BrowserPool.shared.putBack(browser, device) } else { browser.close() } }
        let window = DrivenWindow(browser, server, address, site)
        try await window.open("/")
        try await body(window)
        isForOthers = arguments.isEmpty
    }
}

@MainActor private func browser(
    _ engine: BrowserEngine, _ device: Device?, _ arguments: [String]
) async throws -> any DrivenBrowser {
    guard !arguments.isEmpty else { return try await BrowserPool.shared.take(engine, device) }
    var options = LaunchOptions()
    (options.device, options.arguments) = (device, arguments)
    return try await engine.launch(options)
}

func requireDriven(_ engine: BrowserEngine) throws {
    guard engine.executable != nil else { throw try skipped(Missing(engine: engine)) }
}

private struct Missing: Error, CustomStringConvertible {
    let engine: BrowserEngine
    var description: String { "\(engine) is not installed." }
}
