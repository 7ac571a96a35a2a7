import BridgeProtocol
import BridgeServer
public import Foundation

/// The message handlers and user scripts of the web views that were made with this object. It retains its handlers, as
/// in WebKit.
@preconcurrency @MainActor open class WKUserContentController: NSObject {
    enum Handler {
        case plain(any WKScriptMessageHandler)
        case replying(any WKScriptMessageHandlerWithReply)
    }

    private(set) var handlers: [String: Handler] = [:]
    /// The handlers in other content worlds, by the world's key and then by name.
    private(set) var handlersInWorlds: [String: [String: Handler]] = [:]
    open private(set) var userScripts: [WKUserScript] = []
    private var webViews: [WeakWebView] = []

    private struct WeakWebView { weak var webView: WKWebView? }

    public override init() { super.init() }

    // MARK: Handlers

    /// Adds a handler. If the name has a handler already, the new one is not added, and a `problem` record reports
    /// that. WebKit raises an exception.
    open func add(_ scriptMessageHandler: any WKScriptMessageHandler, name: String) {
        add(.plain(scriptMessageHandler), name, .page)
    }

    open func add(_ scriptMessageHandler: any WKScriptMessageHandler, contentWorld world: WKContentWorld, name: String)
    {
        add(.plain(scriptMessageHandler), name, world)
    }

    open func addScriptMessageHandler(
        _ scriptMessageHandlerWithReply: any WKScriptMessageHandlerWithReply, contentWorld: WKContentWorld,
        name: String
    ) {
        add(.replying(scriptMessageHandlerWithReply), name, contentWorld)
    }

    open func removeScriptMessageHandler(forName name: String) {
        handlers[name] = nil
        update()
    }

    open func removeScriptMessageHandler(forName name: String, contentWorld: WKContentWorld) {
        guard let key = contentWorld.key else { return removeScriptMessageHandler(forName: name) }
        handlersInWorlds[key]?[name] = nil
        update()
    }

    open func removeAllScriptMessageHandlers() {
        (handlers, handlersInWorlds) = ([:], [:])
        update()
    }

    open func removeAllScriptMessageHandlers(from contentWorld: WKContentWorld) {
        if let key = contentWorld.key { handlersInWorlds[key] = nil } else { handlers = [:] }
        update()
    }

    private func add(_ handler: Handler, _ name: String, _ world: WKContentWorld) {
        let existing = world.key.map { handlersInWorlds[$0]?[name] } ?? handlers[name]
        guard existing == nil else {
            return report(
                .handlerTaken,
                "Attempt to add script message handler with name '\(name)' when one already exists. Remove that one first."
            )
        }
        if let key = world.key { handlersInWorlds[key, default: [:]][name] = handler } else { handlers[name] = handler }
        update()
    }

    /// The worlds other than the page's own that have a handler or a user script.
    var worlds: [WKContentWorld] {
        let keys = handlersInWorlds.filter { !$0.value.isEmpty }.keys.sorted()
        return keys.map { WKContentWorld.of(key: $0) } + userScripts.map(\.world).filter { !$0.isPage }
    }

    // MARK: User scripts

    /// Adds a script that runs in the documents that load afterwards.
    open func addUserScript(_ userScript: WKUserScript) {
        userScripts.append(userScript)
        update()
    }

    open func removeAllUserScripts() {
        userScripts = []
        update()
    }

    // MARK: Web views

    func attach(_ webView: WKWebView) {
        webViews.removeAll { $0.webView == nil }
        webViews.append(WeakWebView(webView: webView))
        webView.update(from: self)
    }

    private func update() {
        for entry in webViews { entry.webView?.update(from: self) }
    }

    private func report(_ code: ProblemCode, _ text: String) {
        let server = webViews.lazy.compactMap(\.webView).first?.server ?? BridgeServer.shared
        server.traffic.problem(code, text, hint: "docs/fidelity.md lists the differences from a real WKWebView.")
    }
}
