import BridgeProtocol

/// Stubs and the handlers that pages see because of them.
extension Hub {
    /// - Returns: its id.
    func stub(
        _ handler: String, webView: String?, match: ScriptValue?, reply: StubReply, delay: Duration
    ) -> String {
        let stub = stubs.add(handler, webView: webView, match: match, reply: reply, delay: delay)
        tellHandlers { stub.concerns($0.webView) }
        return stub.id
    }

    /// False where there is no such stub.
    func unstub(_ id: String) -> Bool {
        guard stubs.remove(id) else { return false }
        tellHandlers { _ in true }
        return true
    }

    /// What pages of a web view find in `webkit.messageHandlers`: the handlers of its scope, and those that are stubs
    /// alone. One waits for an answer where native code or any of its stubs gives one.
    /// - Parameter webView: nil for web views with nothing of their own.
    func handlerInfo(of webView: String?) -> [HandlerInfo] {
        var replies = handlers(of: webView).mapValues(\.replies)
        for stub in stubs.concerning(webView) {
            replies[stub.handler] = replies[stub.handler, default: false] || stub.reply.answers
        }
        return replies.map { HandlerInfo(name: $0.key, replies: $0.value) }.sorted { $0.name < $1.name }
    }

    /// Web views whose pages see handlers of their own.
    var namedWebViews: [String] {
        Set(scopes.keys).union(stubs.all.compactMap(\.webView)).sorted()
    }

    /// Tells pages which handlers there are now.
    func tellHandlers(where concerns: (Page) -> Bool) {
        for page in pages.values where concerns(page) {
            let info = handlerInfo(of: page.webView)
            page.channel?.send { $0.handlersChanged(info) }
        }
    }
}
