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
        let scope = webView.map(scope) ?? defaultScope
        return inherits(scope) ? defaultScope.handlers.merging(scope.handlers) { $1 } : scope.handlers
    }

    func handler(_ name: String, of webView: String) -> MessageHandler? {
        let scope = scope(of: webView)
        return scope.handlers[name] ?? (inherits(scope) ? defaultScope.handlers[name] : nil)
            ?? interfaces(of: webView)[name]?.messageHandler
    }

    /// The objects that a web view's pages call.
    /// - Parameter webView: nil for web views with nothing of their own.
    func interfaces(of webView: String?) -> [String: JavascriptInterface] {
        let scope = webView.map(scope) ?? defaultScope
        guard inherits(scope) else { return scope.javascriptInterfaces }
        return defaultScope.javascriptInterfaces.merging(scope.javascriptInterfaces) { $1 }
    }

    func userScripts(of scope: WebViewScope) -> [UserScript] {
        inherits(scope) ? defaultScope.userScripts + scope.userScripts : scope.userScripts
    }

    private func inherits(_ scope: WebViewScope) -> Bool { scope.inheritsDefaults && scope !== defaultScope }

    /// Whether a page has what is in a scope.
    private func concerns(_ scope: WebViewScope, _ page: Page) -> Bool {
        let own = self.scope(of: page.webView)
        return own === scope || scope === defaultScope && inherits(own)
    }

    func setScope(_ scope: WebViewScope?, for webView: String) {
        scope?.hub = self
        scopes[webView] = scope
        tellHandlers { $0.webView == webView }
    }

    /// Documents that are still loading run what is there at their end.
    func userScriptsChanged(in scope: WebViewScope) {
        for page in pages.values where page.readyState != "complete" && concerns(scope, page) {
            let info = handlerInfo(of: page.webView)
            let scripts = userScripts(of: self.scope(of: page.webView))
            page.channel?.send { $0.handlersChanged(info, userScripts: scripts) }
        }
    }

    func handlersChanged(in scope: WebViewScope) {
        tellHandlers { concerns(scope, $0) }
    }
}
