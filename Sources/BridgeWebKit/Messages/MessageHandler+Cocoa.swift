import BridgeProtocol
import BridgeServer
import Foundation

extension WKUserContentController {
    /// Converts the handlers to the server's type, for the messages to one web view.
    func messageHandlers(for webView: WKWebView) -> [String: MessageHandler] {
        handlers.mapValues { messageHandler($0, for: webView) }
    }

    /// Those in other content worlds, by the world's key and then by name.
    func messageHandlersInWorlds(for webView: WKWebView) -> [String: [String: MessageHandler]] {
        handlersInWorlds.mapValues { $0.mapValues { messageHandler($0, for: webView) } }
    }

    private func messageHandler(_ handler: Handler, for webView: WKWebView) -> MessageHandler {
        switch handler {
        case .plain(let handler):
            .plain { [weak self, weak webView] body, context in
                guard let self, let webView else { return .webViewGone }
                return self.deliver(WKScriptMessage(body, context, webView), to: handler)
            }
        case .replying(let handler):
            .replying { [weak self, weak webView] body, context, reply in
                guard let self, let webView else { return }
                self.deliver(WKScriptMessage(body, context, webView), to: handler, reply)
            }
        }
    }

    private func deliver(_ message: WKScriptMessage, to handler: any WKScriptMessageHandler) -> Verdict {
        if let dispatcher = handler as? DispatchingScriptMessageHandler { return dispatcher.dispatch(message) }
        handler.userContentController(self, didReceive: message)
        return .handled
    }

    private func deliver(
        _ message: WKScriptMessage, to handler: any WKScriptMessageHandlerWithReply, _ reply: Reply
    ) {
        // Only the closure retains the reply. If the handler releases the closure without calling it, the page's
        // promise is rejected.
        handler.userContentController(self, didReceive: message) { value, error in
            if let error { return reply.reject(error) }
            guard let value = message.handedBack(value) ?? (try? ScriptValue(nativeValue: value)) else {
                return reply.reject(
                    "The result value passed back from the WKWebView API client was unable to be serialized")
            }
            reply.resolve(value)
        }
    }
}

extension WKScriptMessage {
    fileprivate convenience init(_ body: ScriptValue, _ context: ScriptMessageContext, _ webView: WKWebView) {
        let page = context.evaluator as? Page
        let frame = page?.frame ?? FrameInfo(url: context.url, origin: "null", isMainFrame: true)
        self.init(body, context, frame: WKFrameInfo(webView.shown(frame), page: page, webView: webView))
    }
}

extension Verdict {
    fileprivate static let webViewGone = Verdict(
        .dropped, reason: .webViewGone, expected: "the web view that the handler was added to", found: "none",
        hint: "Keep a reference to the WKWebView for as long as its pages are shown.")
}
