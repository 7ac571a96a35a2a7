import BridgeProtocol

/// Gives each web view of the app a window of the browser that bridged drives, if there is one.
///
/// A load waits in a web view without a page, so that a window may come later than the load.
@MainActor public final class BrowserWindows {
    private let server: BridgeServer
    /// The web views that have a window, or for which one has been asked for. A page that goes leaves its window, in which
    /// the next page attaches.
    private var names: Set<String> = []

    /// - Parameter server: the server of an app that opens no windows itself.
    public init(of server: BridgeServer) {
        self.server = server
        server.onWebViewGone = { [weak self] in self?.close($0) }
        server.observePages { [weak self] event, page in
            guard let self, event == .attached else { return }
            self.names.insert(page.webView)
            self.openMissing()
        }
    }

    /// Asks the browser for the windows that are missing.
    public func openMissing() {
        guard let driven = server.pages.first(where: \.isDriven) else { return }
        for name in server.webViewNames where names.insert(name).inserted {
            driven.command(.openWebView(name)) { [weak self] result in
                guard let self, case .failure(let error) = result else { return }
                self.server.traffic.problem(
                    .webViewNotOpened, "The browser opened no window for the web view \(name): \(error)",
                    hint: "Close other windows, or start the browser again.")
            }
        }
    }

    /// Closes the window of a web view that the app has released, and forgets its name: another web view may get it. The
    /// browser refuses to close the window that the user has opened, which waits for the next web view of that name.
    private func close(_ name: String) {
        let page = server.pages.first { $0.webView == name && $0.isDriven && $0.frame.isMainFrame }
        page?.command(.closeWebView) { [weak self] result in
            // The page may go before it has answered.
            if case .failure(.rejected(let error)) = result, error.code == .invalidParams { return }
            self?.names.remove(name)
        }
    }
}
