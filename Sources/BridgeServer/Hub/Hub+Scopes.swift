import BridgeProtocol

/// What each web view's pages get.
extension Hub {
    /// A window that a page opened (`main.popup`) has what its opener has.
    func scope(of webView: String) -> WebViewScope {
        let opener = webView.hasSuffix(".popup") ? String(webView.dropLast(".popup".count)) : webView
        return scopes[webView] ?? scopes[opener] ?? defaultScope
    }

    /// What a web view's pages may post to.
    /// - Parameter webView: nil for web views with nothing of their own.
    func handlers(of webView: String?) -> [String: MessageHandler] {
        guard let scope = webView.map(scope), scope !== defaultScope else { return defaultScope.handlers }
        return scope.inheritsHandlers ? defaultScope.handlers.merging(scope.handlers) { $1 } : scope.handlers
    }

    func handler(_ name: String, of webView: String) -> MessageHandler? {
        let scope = scope(of: webView)
        return scope.handlers[name] ?? (scope.inheritsHandlers ? defaultScope.handlers[name] : nil)
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
        tellHandlers { page in
            let own = self.scope(of: page.webView)
            return own === scope || scope === defaultScope && own.inheritsHandlers
        }
    }
}
