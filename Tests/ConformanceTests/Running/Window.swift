import BridgeServer

/// A window of a browser in which cases run. On the main actor.
@MainActor protocol CaseWindow: AnyObject {
    /// Shows a page of a web view.
    /// - Parameter anew: whether to open another window instead of navigating this one.
    func show(_ url: String, webView: String, anew: Bool)

    /// Shows a document that has loaded nothing, in a new window.
    func showEmpty(webView: String)

    /// Whether a case's page is loaded by its web view, in a window that shows an empty document before.
    var beginsEmpty: Bool { get }

    /// Called when a case has ended.
    func endCase()
}

/// A window of a browser whose pages load bridge.js by its tag. It shows one case after the other, because opening a
/// window for each case would take most of a run's time.
///
/// Each case has its own site and its own web view. So nothing that a case leaves behind (storage, handlers, scripts)
/// exists for the next one. On the main actor.
@MainActor final class AttachedWindow: CaseWindow {
    private let tabs: Tabs
    private let server: BridgeServer
    /// The web view of the page on display, if it can navigate.
    private var webView: String?

    let beginsEmpty = false

    init(tabs: Tabs, server: BridgeServer) {
        self.tabs = tabs
        self.server = server
    }

    func show(_ url: String, webView: String, anew: Bool) {
        if !anew, let page { page.navigate(to: url) } else { tabs.open(url) }
        self.webView = webView
    }

    func showEmpty(webView: String) {
        tabs.openEmpty(webView: webView)
        self.webView = webView
    }

    func endCase() {}

    private var page: Page? {
        server.pages.last { $0.webView == webView && $0.frame.isMainFrame && $0.isAttached }
    }
}
