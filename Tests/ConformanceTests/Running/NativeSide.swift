import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The native half of a case: a `WKWebView` with its content controller, as in an app. On the main actor.
@MainActor final class NativeSide {
    enum Event {
        case loadStarted, loadCommitted, loadFinished
        /// `reply` is nil if the handler does not reply.
        case message(handler: String, body: Any, reply: Replies.Reply?)
    }

    /// Receives the events, in order.
    var onEvent: (Event) -> Void = { _ in }
    var name: String { webView.bridgedName }
    private let webView: WKWebView
    private let delegate = NavigationDelegate()
    private let windows = WindowDelegate()
    private var registered: Set<String> = []
    private var controller: WKUserContentController { webView.configuration.userContentController }

    /// - Parameters:
    ///   - name: the web view's name, which its pages attach with.
    ///   - settings: settings of WebKitGTK, under their names there.
    init(server: BridgeServer, name: String, settings: JSONValue? = nil) {
        let configuration = WKWebViewConfiguration()
        configuration.bridgeServer = server
        configuration.bridgedWebViewName = name
        if settings?["enable-javascript"] == .bool(false) { configuration.preferences.javaScriptEnabled = false }
        if settings?["enable-javascript-markup"] == .bool(false) {
            configuration.defaultWebpagePreferences.allowsContentJavaScript = false
        }
        webView = WKWebView(frame: .zero, configuration: configuration)
        delegate.onEvent = { [weak self] in self?.onEvent($0) }
        webView.navigationDelegate = delegate
        webView.uiDelegate = windows
    }

    // MARK: Scripts

    func evaluate(_ script: String, sourceURL: String?, world: String?, completion: @escaping (NativeResult) -> Void) {
        if let sourceURL {
            return webView._evaluateJavaScript(script, withSourceURL: URL(string: sourceURL), in: nil, in: .page) {
                completion(NativeResult($0))
            }
        }
        guard let world else {
            return webView.evaluateJavaScript(script) { completion(NativeResult($0, $1)) }
        }
        webView.evaluateJavaScript(script, in: nil, in: .world(name: world)) { completion(NativeResult($0)) }
    }

    /// Waits until the web view has a page, of whose empty document the delegate is not told.
    func hasPage(within limit: Duration) async -> Bool {
        let evaluated = Later<Void>()
        evaluate("1", sourceURL: nil, world: nil) { _ in evaluated.set(()) }
        return await evaluated.wait(upTo: limit) != nil
    }

    func callAsync(
        _ body: String, arguments: [String: Any], world: String?, completion: @escaping (NativeResult) -> Void
    ) {
        webView.callAsyncJavaScript(body, arguments: arguments, in: nil, in: world.map { .world(name: $0) } ?? .page) {
            completion(NativeResult($0))
        }
    }

    // MARK: Loading

    func load(_ url: String) {
        guard let url = URL(string: url) else { return }
        webView.load(URLRequest(url: url))
    }

    func loadHTML(_ html: String, baseURL: String?) {
        webView.loadHTMLString(html, baseURL: baseURL.flatMap { URL(string: $0) })
    }
    func reload() { webView.reload() }
    func goBack() { webView.goBack() }
    func goForward() { webView.goForward() }
    func stopLoading() { webView.stopLoading() }
    func terminate() { webView._killWebContentProcessAndResetState() }

    // MARK: Handlers and user scripts

    /// Registers a handler.
    /// - Returns: false if Apple's API would refuse the handler by ending the app.
    func register(_ handler: RecordedCase.Handler) -> Bool {
        let world = handler.world.map { WKContentWorld.world(name: $0) } ?? .page
        guard registered.insert("\(handler.world ?? "") \(handler.name)").inserted else { return false }
        if handler.reply == nil {
            controller.add(PlainHandler { [weak self] in self?.onEvent($0) }, contentWorld: world, name: handler.name)
        } else {
            controller.addScriptMessageHandler(
                ReplyingHandler { [weak self] in self?.onEvent($0) }, contentWorld: world, name: handler.name)
        }
        return true
    }

    func unregister(_ name: String) {
        registered.remove(" \(name)")
        controller.removeScriptMessageHandler(forName: name)
    }

    func add(_ script: RecordedCase.Script) {
        controller.addUserScript(
            WKUserScript(
                _source: script.source, injectionTime: script.at == "start" ? .atDocumentStart : .atDocumentEnd,
                forMainFrameOnly: script.frames == "top", includeMatchPatternStrings: script.allow ?? [],
                excludeMatchPatternStrings: script.block ?? [],
                contentWorld: script.world.map { .world(name: $0) } ?? .page))
    }

    func removeAllUserScripts() { controller.removeAllUserScripts() }
}

/// The result of an evaluation.
enum NativeResult {
    case value(Any?)
    case error(JSONValue)

    init(_ value: Any?, _ error: (any Error)?) {
        self = error.map { .error(NativeResult.json(of: $0)) } ?? .value(value)
    }

    init(_ result: Result<Any, any Error>) {
        switch result {
        case .success(let value): self = .value(value)
        case .failure(let error): self = .error(NativeResult.json(of: error))
        }
    }

    /// Returns the parts of an error that an app can read.
    private static func json(of error: any Error) -> JSONValue {
        let error = error as NSError
        guard error.domain == WKErrorDomain else {
            return ["domain": .string(error.domain), "text": .string("\(error)")]
        }
        var json: JSONValue = ["code": .number(Double(error.code))]
        json["message"] = (error.userInfo["WKJavaScriptExceptionMessage"] as? String).map { .string($0) }
        json["line"] = (error.userInfo["WKJavaScriptExceptionLineNumber"] as? Int).map { .number(Double($0)) }
        json["column"] = (error.userInfo["WKJavaScriptExceptionColumnNumber"] as? Int).map { .number(Double($0)) }
        json["sourceURL"] = (error.userInfo["WKJavaScriptExceptionSourceURL"] as? URL).map {
            .string($0.absoluteString)
        }
        if error.code == WKError.Code.unknown.rawValue { json["text"] = .string(error.localizedDescription) }
        return json
    }
}

private final class NavigationDelegate: NSObject, WKNavigationDelegate {
    var onEvent: (NativeSide.Event) -> Void = { _ in }

    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
        onEvent(.loadStarted)
    }
    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) { onEvent(.loadCommitted) }
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) { onEvent(.loadFinished) }
}

/// Opens the windows that pages ask for, as the recorder did.
private final class WindowDelegate: NSObject, WKUIDelegate {
    private var opened: [WKWebView] = []

    func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
    ) -> WKWebView? {
        let window = WKWebView(frame: .zero, configuration: configuration)
        opened.append(window)
        return window
    }
}

private final class PlainHandler: NSObject, WKScriptMessageHandler {
    private let onEvent: (NativeSide.Event) -> Void

    init(onEvent: @escaping (NativeSide.Event) -> Void) { self.onEvent = onEvent }

    func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
        onEvent(.message(handler: message.name, body: message.body, reply: nil))
    }
}

private final class ReplyingHandler: NSObject, WKScriptMessageHandlerWithReply {
    private let onEvent: (NativeSide.Event) -> Void

    init(onEvent: @escaping (NativeSide.Event) -> Void) { self.onEvent = onEvent }

    func userContentController(
        _ controller: WKUserContentController, didReceive message: WKScriptMessage,
        replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void
    ) {
        onEvent(.message(handler: message.name, body: message.body, reply: replyHandler))
    }
}
