public import BridgeProtocol
public import BridgeServer
public import BridgeWebKit
import WebFiles

/// The native end of bridge components in one web view.
///
/// It passes messages from the adapter in the page to the delegate of the screen that the web view shows, and passes
/// replies back to the document that sent the message.
///
/// The messages are those of hotwire-native-ios (handler `bridge`) and strada-ios (`strada`): `"ready"`, and
/// `{id, component, event, data}` with the page's URL as `data.metadata.url`.
@MainActor public final class Bridge {
    /// The message handlers of Hotwire Native and of Strada.
    public nonisolated static let handlers = ["bridge", "strada"]

    /// The delegate of the screen that the web view shows.
    public weak var delegate: BridgeDelegate? {
        didSet { formerLocation = oldValue?.location ?? formerLocation }
    }
    /// The URL of the screen that the web view showed before.
    private var formerLocation: String?
    public private(set) weak var webView: WKWebView?
    /// The document that sent the last message. Scripts run in it.
    private var document: ScriptMessageContext?
    let server: BridgeServer
    /// The memory of the components of all screens that the web view shows.
    var memory: ComponentMemory
    private let isAndroid: Bool
    /// How components read and write the data of messages.
    var coding = MessageCoding()
    /// Called with a component that a page uses and the app does not have. Returns false if it reports nothing.
    var onMissingComponent: ((MissingComponent, String) -> Bool)?
    private static var bridges: [WeakBridge] = []

    private struct WeakBridge { weak var bridge: Bridge? }

    /// The bridge that was made for a web view.
    static func bridge(of webView: WKWebView) -> Bridge? {
        bridges.lazy.compactMap(\.bridge).first { $0.webView === webView }
    }

    /// Adds the adapter and its message handlers to the web view's content controller.
    /// - Parameters:
    ///   - handlers: empty if pages use an interface object instead, as on Android.
    ///   - adapter: a script to use in place of web/components.js, such as a framework's bridge.js.
    /// - Throws: `MissingWebFile` if web/components.js is not beside the executable.
    public init(
        webView: WKWebView, server: BridgeServer, handlers: [String] = Bridge.handlers, adapter: String? = nil
    ) throws {
        self.webView = webView
        self.server = server
        memory = ComponentMemory(server)
        isAndroid = handlers.isEmpty
        let controller = webView.configuration.userContentController
        let source = try adapter ?? WebFiles.text(of: "components.js")
        controller.addUserScript(
            WKUserScript(source: source, injectionTime: .atDocumentStart, forMainFrameOnly: true))
        for name in handlers {
            // The content controller retains its handlers, and the web view the controller.
            controller.add(name: name) { [weak self] body, context in
                self?.receive(body, context) ?? .inactiveDestination(nil)
            }
        }
        Bridge.bridges.removeAll { $0.bridge == nil }
        Bridge.bridges.append(WeakBridge(bridge: self))
    }

    /// The URL that the document of the last message reported.
    public var location: String? { document?.url }

    // MARK: From the page

    /// Handles what the adapter posts.
    public func receive(_ body: ScriptValue, _ context: ScriptMessageContext) -> Verdict {
        if body.string == "ready" { return bridgeDidInitialize(context) }
        document = context
        if body.kind == .object, body.child("name")?.string == "unsupportedComponent" {
            let name = body.child("component")?.string ?? ""
            let missing = MissingComponent(name: name, element: body.child("element")?.string)
            if onMissingComponent?(missing, context.page) == true { return .handled }
            return .unknownComponent(name, among: delegate?.componentNames ?? [])
        }
        do {
            return bridgeDidReceiveMessage(try Message(body, page: context.page, coding: coding))
        } catch {
            return .undecodable(error, body, as: Message.self)
        }
    }

    /// Handles the adapter's report that it is ready: sends it the names of the app's components.
    @discardableResult
    public func bridgeDidInitialize(_ context: ScriptMessageContext) -> Verdict {
        document = context
        guard let delegate else { return .inactiveDestination(formerLocation) }
        delegate.bridgeDidInitialize()
        return .handled
    }

    /// Handles the adapter's report that it knows the components. Does nothing, because no native code waits for that.
    public func bridgeDidUpdateSupportedComponents(_ context: ScriptMessageContext) {}

    private func bridgeDidReceiveMessage(_ message: Message) -> Verdict {
        guard let delegate else { return .inactiveDestination(formerLocation) }
        let verdict = delegate.receive(message)
        if verdict.reason == .unknownComponent, let page = message.page {
            _ = onMissingComponent?(MissingComponent(name: message.component, element: nil), page)
        }
        return verdict
    }

    // MARK: To the page

    public func register(component: String) { call("register", component) }
    public func register(components: [String]) { call("register", components) }
    public func unregister(component: String) { call("unregister", component) }

    /// Sends a reply to the document that its message came from.
    /// - Parameter completion: gets true when the page has taken the reply, false if that document has gone, or the error
    ///   of its script. A `problem` record reports those two.
    func reply(
        with message: Message, completion: @escaping @MainActor (Result<Bool, any Error>) -> Void = { _ in }
    ) {
        guard let document, message.page == nil || message.page == document.page else {
            reportLostReply(message.component, message.event, "the page that asked has gone.", page: message.page)
            Task { completion(.success(false)) }
            return
        }
        if let problem = message.dataProblem { reportLostData(message, problem) }
        // Android's adapter expects JSON text.
        let value = message.scriptValue
        call("replyWith", isAndroid ? ScriptValue(.string(value.json.text)) : value) { [weak self] error in
            if let error { self?.reportLostReply(message.component, message.event, "\(error)", page: message.page) }
            completion(error.map { .failure($0) } ?? .success(true))
        }
    }

    private func call(
        _ method: String, _ argument: any JavaScriptConvertible,
        completion: @escaping @MainActor (ScriptError?) -> Void = { _ in }
    ) {
        guard let document else { return }
        let action = ActionResult.current
        action?.begin()
        document.evaluator.evaluate(JavaScriptCall("window.nativeBridge.\(method)", argument)) { result in
            // A result of an unsupported type shows that the adapter was called: a page's own adapter may return
            // anything.
            guard case .failure(let error) = result, !error.isResultType else {
                completion(nil)
                action?.end()
                return
            }
            completion(error)
            action?.end("the reply did not reach the page: \(error)")
        }
    }

    /// Gives a recorded answer after its time.
    func give(
        _ answer: Cassette.Entry.ComponentAnswer, to message: Message, in component: BridgeComponent
    ) {
        guard answer.delay > .zero, server.cassette?.timing == .recorded else {
            return giveNow(answer, to: message, in: component)
        }
        server.deadlines.schedule(after: answer.delay) { [weak self, weak component] in
            guard let component else { return }
            self?.giveNow(answer, to: message, in: component)
        }
    }

    private func giveNow(
        _ answer: Cassette.Entry.ComponentAnswer, to message: Message, in component: BridgeComponent
    ) {
        switch answer {
        case .reply(let reply):
            component.reply(
                with: message.replacing(event: reply.event, jsonData: reply.data.text), completion: nil)
        case .call(let call): document?.evaluator.evaluate(call.source, timeout: nil, completion: nil)
        }
    }

    private func reportLostData(_ message: Message, _ why: String) {
        server.traffic.problem(
            .componentReplyLost,
            "The reply of \(message.component) to \(quoted(message.event)) reached the page without its data: \(why)",
            hint: "Hotwire Native sends objects only. Reply with a struct or a dictionary that JSON can express.",
            page: message.page.flatMap(server.page))
    }

    /// Records that a reply did not reach its page.
    func reportLostReply(_ component: String, _ event: String, _ why: String, page: String?) {
        ActionResult.current?.fail("the reply of \(component) to \(quoted(event)) did not reach the page: \(why)")
        server.traffic.problem(
            .componentReplyLost, "The reply of \(component) to \(quoted(event)) did not reach the page: \(why)",
            hint:
                "A component can reply to a message that it received, as long as its screen shows the page that sent it.",
            page: page.flatMap(server.page))
    }
}
