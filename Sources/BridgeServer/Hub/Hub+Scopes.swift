import BridgeProtocol

/// What each web view's pages get.
extension Hub {
    /// A window that a page opened (`main.popup`) has what its opener has.
    func scope(of webView: String) -> WebViewScope {
        let opener = webView.hasSuffix(".popup") ? String(webView.dropLast(".popup".count)) : webView
        return scopes[webView] ?? scopes[opener] ?? defaultScope
    }

    func setScope(_ scope: WebViewScope?, for webView: String) {
        scope?.hub = self
        scopes[webView] = scope
        tellHandlers { $0.webView == webView }
    }

    /// Documents that are still loading run what is there at their end.
    func userScriptsChanged(in scope: WebViewScope) {
        for page in pages.values where page.readyState != "complete" && self.scope(of: page.webView) === scope {
            let info = handlerInfo(of: page.webView)
            page.channel?.send { [scripts = scope.userScripts] in $0.handlersChanged(info, userScripts: scripts) }
        }
    }

    func handlersChanged(in scope: WebViewScope) {
        tellHandlers { self.scope(of: $0.webView) === scope }
    }
}
