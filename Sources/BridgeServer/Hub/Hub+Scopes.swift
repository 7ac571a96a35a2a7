import BridgeProtocol

/// What each web view's pages get.
extension Hub {
    func scope(of webView: String) -> WebViewScope { scopes[webView] ?? defaultScope }

    func setScope(_ scope: WebViewScope?, for webView: String) {
        scope?.hub = self
        scopes[webView] = scope
        tellHandlers { $0.webView == webView }
    }

    func handlersChanged(in scope: WebViewScope) {
        tellHandlers { self.scope(of: $0.webView) === scope }
    }
}
