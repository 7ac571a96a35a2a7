import BridgeServer

/// A window of the browser that shows one case after the other, because opening a window for each case would take most
/// of a run's time.
///
/// Each case has its own site and its own web view. So nothing that a case leaves behind (storage, handlers, scripts)
/// exists for the next one. On the main actor.
@MainActor final class Window {
    private let tabs: Tabs
    private let server: BridgeServer
    /// The web view of the page on display, if it can navigate.
    private var webView: String?

    init(tabs: Tabs, server: BridgeServer) {
        self.tabs = tabs
        self.server = server
    }

    /// Shows a page of a web view.
    /// - Parameter anew: whether to open another window instead of navigating this one.
    func show(_ url: String, webView: String, anew: Bool = false) {
        if !anew, let page { page.navigate(to: url) } else { tabs.open(url) }
        self.webView = webView
    }

    /// Shows a document that has loaded nothing, in a new window.
    func showEmpty(webView: String) {
        tabs.openEmpty(webView: webView)
        self.webView = webView
    }

    private var page: Page? {
        server.pages.last { $0.webView == webView && $0.frame.isMainFrame && $0.isAttached }
    }
}
