import BridgeServer

/// One window of the browser, in which cases are shown one after the other: to open one for each takes most of a run's time.
///
/// Each case has a site and a web view of its own, so what one leaves behind (storage, handlers, scripts) is not there for the next. On the
/// main actor.
@MainActor final class Window {
    private let tabs: Tabs
    private let server: BridgeServer
    /// What it shows, if that can still be told to go elsewhere.
    private var webView: String?

    init(tabs: Tabs, server: BridgeServer) {
        self.tabs = tabs
        self.server = server
    }

    /// Shows a page of a web view.
    /// - Parameter anew: in another window, whatever becomes of this one.
    func show(_ url: String, webView: String, anew: Bool = false) {
        if !anew, let page { page.navigate(to: url) } else { tabs.open(url) }
        self.webView = webView
    }

    /// Shows a document that has loaded nothing.
    func showEmpty(webView: String) {
        tabs.openEmpty(webView: webView)
        self.webView = webView
    }

    private var page: Page? {
        server.pages.last { $0.webView == webView && $0.frame.isMainFrame && $0.isAttached }
    }
}
