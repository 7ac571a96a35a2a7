import BridgeServer
import BridgeTesting
import TestSupport

/// A browser with a page that opens windows for cases and never changes itself.
@MainActor final class Tabs {
    private let server: BridgeServer
    private let browser: Browser
    private let site: Site
    private let page: Page

    /// - Throws: `Browser.Missing`, or an error of the system.
    init(_ engine: Browser.Engine, server: BridgeServer, address: BridgeServer.Address) async throws {
        self.server = server
        let html = "<!doctype html><title>The conformance test's driver</title>"
        site = try Site(
            files: ["/": SiteFile(body: html, type: "text/html")],
            tag: Tabs.tag(address, webView: "driver"))
        let changes = Changes()
        server.observePages { _, _ in changes.changed() }
        let browser = try Browser(engine, opening: site.origin + "/")
        self.browser = browser
        let driver = { @MainActor in server.pages.first { $0.webView == "driver" && $0.isAttached } }
        await changes.wait(upTo: .seconds(60)) { driver() != nil }
        guard let page = driver() else { throw Silent(engine: engine) }
        self.page = page
    }

    /// The browser started, and its page never attached.
    struct Silent: Error {
        let engine: Browser.Engine
    }

    /// What stands first in the documents of a web view.
    static func tag(_ address: BridgeServer.Address, webView: String) -> String {
        "<script src=\"http://127.0.0.1:\(address.port)/bridge.js?web-view=\(webView)\"></script>"
    }

    /// Opens a window of its own, so that it is visible beside others, and knows nothing of its opener.
    func open(_ url: String) {
        page.evaluate("open(\(Tag.quote(url)), '_blank', 'noopener,popup,width=800,height=600'); 0", completion: nil)
    }

    /// Closes the windows that show a web view.
    func close(webView: String) {
        for page in server.pages where page.webView == webView && page.frame.isMainFrame {
            page.evaluate("window.close()", completion: nil)
        }
    }

    /// Evaluates in the driver's page, where no case looks.
    func evaluate(_ script: String, completion: @escaping (NativeResult) -> Void) {
        page.evaluate(script) { completion(ServerSide.result($0)) }
    }

    func closeBrowser() { browser.close() }
}
