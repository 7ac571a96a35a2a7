import BridgeProtocol

/// The handlers, interface objects, user scripts and stubs of each web view.
extension Hub {
    // MARK: Scopes

    /// The scope of a web view. A window that a page opened (`main.popup`) has the scope of its opener.
    func scope(of webView: String) -> WebViewScope {
        guard !scopes.isEmpty else { return defaultScope }
        let opener = webView.hasSuffix(".popup") ? String(webView.dropLast(".popup".count)) : webView
        return scopes[webView] ?? scopes[opener] ?? defaultScope
    }

    func setScope(_ scope: WebViewScope?, for webView: String) {
        scope?.hub = self
        scopes[webView] = scope
        sendHandlers { $0.webView == webView }
    }

    /// The handlers that a web view's pages may post to.
    /// - Parameter webView: nil for web views without a scope or stubs of their own. The same holds for the other
    ///   methods here with an optional web view.
    func handlers(of webView: String?) -> [String: MessageHandler] {
        let scope = webView.map(scope) ?? defaultScope
        return inherits(scope) ? defaultScope.handlers.merging(scope.handlers) { $1 } : scope.handlers
    }

    /// The objects whose methods a web view's pages may call.
    func interfaces(of webView: String?) -> [String: JavascriptInterface] {
        let scope = webView.map(scope) ?? defaultScope
        guard inherits(scope) else { return scope.javascriptInterfaces }
        return defaultScope.javascriptInterfaces.merging(scope.javascriptInterfaces) { $1 }
    }

    /// The user scripts that a web view's pages run. Only driven pages have those of content worlds.
    func userScripts(of scope: WebViewScope, isDriven: Bool = false) -> [UserScript] {
        let scripts = inherits(scope) ? defaultScope.userScripts + scope.userScripts : scope.userScripts
        return isDriven ? scripts : scripts.filter { $0.world == nil }
    }

    func inherits(_ scope: WebViewScope) -> Bool { scope.inheritsDefaults && scope !== defaultScope }

    /// Whether a change of a scope affects a page.
    private func affects(_ scope: WebViewScope, _ page: Page) -> Bool {
        let own = self.scope(of: page.webView)
        return own === scope || scope === defaultScope && inherits(own)
    }

    /// Sends the user scripts to documents that are still loading, which run the new ones when they have been parsed; and
    /// to driven pages, whose drivers need them for the next document.
    func userScriptsChanged(in scope: WebViewScope) {
        settingsChanged(in: scope)
        for session in registry.sessions
        where !session.page.isDriven && session.page.readyState != "complete" && affects(scope, session.page) {
            let info = handlerInfo(of: session.page.webView)
            let scripts = userScripts(of: self.scope(of: session.page.webView))
            session.channel?.send { $0.handlersChanged(info, userScripts: scripts) }
        }
    }

    /// Sends the settings to driven pages.
    func settingsChanged(in scope: WebViewScope) {
        sendHandlers { $0.isDriven && affects(scope, $0) }
    }

    /// Sends the settings to those driven pages for which `isAffected` returns true.
    func settingsChanged(where isAffected: (Page) -> Bool) {
        sendHandlers { $0.isDriven && isAffected($0) }
    }

    func handlersChanged(in scope: WebViewScope) {
        sendHandlers { affects(scope, $0) }
    }

    /// Sends the current handlers to the pages for which `isAffected` returns true.
    private func sendHandlers(where isAffected: (Page) -> Bool) {
        // Many pages of one web view get the same message.
        var messages: [Bool: [String: [UInt8]]] = [:]
        for session in registry.sessions where session.channel != nil && isAffected(session.page) {
            let (webView, isDriven) = (session.page.webView, session.page.isDriven)
            let message = messages[isDriven]?[webView] ?? handlersChanged(of: webView, isDriven: isDriven)
            messages[isDriven, default: [:]][webView] = message
            session.channel?.send { $0.raw(message) }
        }
    }

    private func handlersChanged(of webView: String, isDriven: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.handlersChanged(
            handlerInfo(of: webView, isDriven: isDriven), settings: isDriven ? settings(of: webView) : nil)
        return writer.bytes
    }

    /// The handlers that a web view's pages find in `webkit.messageHandlers`: those of its scope, and those that exist
    /// only as stubs. For driven pages, those of other content worlds follow.
    ///
    /// Stubs that answer dialogs are not among them: they may have what a page must not see, such as a password.
    func handlerInfo(of webView: String?, isDriven: Bool = false) -> [HandlerInfo] {
        let own = handlerInfo(of: webView, with: stubs.applying(to: webView).filter { !$0.answersDialogs })
        return isDriven ? own + handlerInfoOfWorlds(of: webView) : own
    }

    /// The handlers of a web view as tools see them, with everything that has a stub.
    func handlerInfoForTools(of webView: String?) -> [HandlerInfo] {
        handlerInfo(of: webView, with: stubs.applying(to: webView))
    }

    /// A handler replies if native code or any of its stubs does.
    private func handlerInfo(of webView: String?, with stubs: [Stub]) -> [HandlerInfo] {
        var replies = handlers(of: webView).mapValues(\.replies)
        for stub in stubs {
            replies[stub.handler] = replies[stub.handler, default: false] || stub.reply.answers
        }
        return replies.map { HandlerInfo(name: $0.key, replies: $0.value) }.sorted { $0.name < $1.name }
    }

    /// The web views that have handlers or stubs of their own.
    var namedWebViews: [String] {
        Set(scopes.keys).union(stubs.all.compactMap(\.webView)).sorted()
    }

    // MARK: Receivers of a message

    /// Finds the receiver of a message: the newest stub that fits it, or else its handler. Counts the message. Stubs that
    /// answer dialogs receive none.
    func receiver(of message: PostMessage, from page: Page) -> (MessageHandler?, Stub?) {
        if let world = message.world { return (receiver(of: message, in: world, of: page), nil) }
        let isForDialogs = Dialog.Kind(handler: message.handler) != nil
        let stub = isForDialogs ? nil : stubs.match(message.handler, webView: page.webView, body: message.body)
        let handler = stub?.messageHandler(self) ?? self.handler(message.handler, of: page.webView)
        if handler != nil { messageCounts[message.handler, default: 0] += 1 }
        return (handler, stub)
    }

    /// Finds the newest stub that answers a dialog of a page, and counts the dialog.
    func stub(answering kind: Dialog.Kind, _ body: ScriptValue, of webView: String) -> Stub? {
        let stub = stubs.match(kind.handler, webView: webView, body: body)
        if stub != nil { messageCounts[kind.handler, default: 0] += 1 }
        return stub
    }

    private func handler(_ name: String, of webView: String) -> MessageHandler? {
        let scope = scope(of: webView)
        return scope.handlers[name] ?? (inherits(scope) ? defaultScope.handlers[name] : nil)
            ?? interfaces(of: webView)[name]?.messageHandler
    }

    /// Finds the interface object that a page calls, and counts the call.
    func interfaceObject(for message: PostMessage, in webView: String) -> JavascriptInterface? {
        let object = interfaces(of: webView)[message.handler]
        if object != nil { messageCounts[message.handler, default: 0] += 1 }
        return object
    }

    func messageName(of body: ScriptValue) -> String? {
        ScriptMessageDispatcher.messageName(of: body, discriminator: discriminator)
    }

    // MARK: Stubs

    /// - Returns: the stub's id.
    func stub(
        _ handler: String, webView: String?, match: ScriptValue?, reply: StubReply, delay: Duration
    ) -> String {
        let stub = stubs.add(handler, webView: webView, match: match, reply: reply, delay: delay)
        sendHandlers { stub.applies(to: $0.webView) }
        return stub.id
    }

    /// - Returns: false if there is no such stub.
    func unstub(_ id: String) -> Bool {
        guard stubs.remove(id) else { return false }
        sendHandlers { _ in true }
        return true
    }
}
