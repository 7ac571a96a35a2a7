public import BridgeProtocol
public import BridgeServer
public import BridgeWebKit

/// The native end of bridge components in one web view: what the adapter in its pages posts goes to the delegate of the
/// screen that the web view shows, and what components answer goes back to the document that asked. On the main actor.
///
/// The messages are those of hotwire-native-ios (handler `bridge`) and strada-ios (`strada`): `"ready"`, and
/// `{id, component, event, data}` with the page's URL as `data.metadata.url`.
@MainActor public final class Bridge {
    /// The message handlers of Hotwire Native and of Strada.
    public nonisolated static let handlers = ["bridge", "strada"]

    /// Of the screen that the web view shows.
    public weak var delegate: BridgeDelegate?
    public private(set) weak var webView: WKWebView?
    /// The document that was heard of last, where scripts go.
    private var document: ScriptMessageContext?
    let server: BridgeServer

    /// Puts the adapter and its message handlers into the web view's content controller.
    /// - Parameter handlers: none where pages reach native code by an interface object, as on Android.
    /// - Throws: `MissingWebFile` where web/components.js is not beside the executable.
    public init(webView: WKWebView, server: BridgeServer, handlers: [String] = Bridge.handlers) throws {
        self.webView = webView
        self.server = server
        let controller = webView.configuration.userContentController
        let adapter = try BundledScript.read("components.js")
        controller.addUserScript(
            WKUserScript(source: adapter, injectionTime: .atDocumentStart, forMainFrameOnly: true))
        for name in handlers {
            // The content controller keeps its handlers, and the web view the controller.
            controller.add(name: name) { [weak self] body, context in
                self?.receive(body, context) ?? .inactiveDestination(nil)
            }
        }
    }

    /// Where the document that was heard of last is, as it said itself.
    public var location: String? { document?.url }

    // MARK: From the page

    /// What the adapter posts.
    public func receive(_ body: ScriptValue, _ context: ScriptMessageContext) -> Verdict {
        if body.string == "ready" { return bridgeDidInitialize(context) }
        document = context
        if body.kind == .object, body.child("name")?.string == "unsupportedComponent" {
            return .unknownComponent(body.child("component")?.string ?? "", among: delegate?.componentNames ?? [])
        }
        do {
            return bridgeDidReceiveMessage(try Message(body, page: context.page))
        } catch {
            return .undecodable(error, body, as: Message.self)
        }
    }

    /// The adapter stands: it is told which components there are.
    @discardableResult
    public func bridgeDidInitialize(_ context: ScriptMessageContext) -> Verdict {
        document = context
        guard let delegate else { return .inactiveDestination(nil) }
        delegate.bridgeDidInitialize()
        return .handled
    }

    /// The adapter has taken note of components. Nothing waits for it.
    public func bridgeDidUpdateSupportedComponents(_ context: ScriptMessageContext) {}

    private func bridgeDidReceiveMessage(_ message: Message) -> Verdict {
        guard let delegate else { return .inactiveDestination(nil) }
        return delegate.bridgeDidReceiveMessage(message)
    }

    // MARK: To the page

    public func register(component: String) { call("register", component) }
    public func register(components: [String]) { call("register", components) }
    public func unregister(component: String) { call("unregister", component) }

    /// Sends a reply to the document that its message came from.
    /// - Returns: whether that document is there still. Where it is not, a `problem` record says so.
    @discardableResult
    public func reply(with message: Message) -> Bool {
        guard let document, message.page == nil || message.page == document.page else {
            tellLost(message.component, message.event, "the page that asked is gone.", page: message.page)
            return false
        }
        guard let value = try? message.scriptValue() else {
            tellLost(
                message.component, message.event, "its data is no JSON: \(shortened(message.jsonData, to: 100)).",
                page: message.page)
            return false
        }
        call("replyWith", value) { [weak self] error in
            self?.tellLost(message.component, message.event, "\(error)", page: message.page)
        }
        return true
    }

    private func call(
        _ method: String, _ argument: any JavaScriptConvertible,
        failed: @escaping @MainActor (ScriptError) -> Void = { _ in }
    ) {
        document?.evaluator.evaluate(JavaScriptCall("window.nativeBridge.\(method)", argument)) { result in
            guard case .failure(let error) = result else { return }
            // An adapter of the page's own may return what can't cross: it was called all the same.
            if case .resultTypeUnsupported = error { return }
            failed(error)
        }
    }

    /// A reply that did not arrive.
    func tellLost(_ component: String, _ event: String, _ why: String, page: String?) {
        server.traffic.problem(
            "componentReplyLost", "The reply of \(component) to \(quoted(event)) did not reach the page: \(why)",
            hint:
                "A component replies to a message that it has received, while its screen shows the page that sent it.",
            page: page.flatMap(server.page))
    }
}
