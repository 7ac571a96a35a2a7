import BridgeProtocol
public import BridgeServer
public import Foundation
public import HeadlessViews

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A web view whose pages are shown by browsers. Pages attach under its name, `bridgedWebViewName`.
///
/// Scripts run in the main-frame page that attached last, in the order of the calls.
@preconcurrency @MainActor open class WKWebView: UIView {
    /// A copy of the configuration, as in WebKit. Only the objects in it can be changed, such as
    /// `userContentController`.
    open var configuration: WKWebViewConfiguration { madeWith.copied() }
    /// If it decides about what pages with the script tag load, set it before they load.
    open weak var navigationDelegate: (any WKNavigationDelegate)?
    /// If there is none, the browser shows its own dialogs. Set it before the page loads.
    open weak var uiDelegate: (any WKUIDelegate)? {
        didSet {
            scope.dialogHandler = nil
            guard uiDelegate != nil else { return }
            scope.dialogHandler = { [weak self] dialog in if let self { dialog.show(in: self) } }
        }
    }
    /// Gives the web view of a window that a page opens, if there is no `uiDelegate`, which would answer dialogs as well.
    package var windowHandler: (@MainActor (WKNavigationAction) -> WKWebView?)?
    /// The value of `navigator.userAgent` in documents that load afterwards. Requests have the browser's own user
    /// agent.
    open var customUserAgent: String? {
        get { scope.userAgent }
        set { scope.userAgent = newValue }
    }

    // The properties below have no effect. They let code that sets them compile.

    open var allowsBackForwardNavigationGestures = false
    open var allowsLinkPreview = true
    open var isInspectable = false
    open var pageZoom: CGFloat = 1
    open var mediaType: String?
    open private(set) lazy var scrollView: UIScrollView = WKScrollView(self)

    /// The name under which pages attach. (Not in WebKit.)
    public let bridgedName: String
    let server: BridgeServer
    let scope = WebViewScope()
    let queue: PageQueue
    private let madeWith: WKWebViewConfiguration
    let limitations: Limitations
    let observers = KeyValueObservers()
    private var reportedWorlds: Set<WKContentWorld> = []
    private(set) lazy var loader = Loader(self)

    public init(frame: CGRect, configuration: WKWebViewConfiguration) {
        madeWith = configuration.copied()
        server = configuration.bridgeServer ?? .shared
        bridgedName = configuration.bridgedWebViewName ?? WKWebView.freeName(server)
        queue = PageQueue(timeout: server.configuration.limits.pageTimeout)
        limitations = Limitations(server)
        super.init(frame: frame)
        start()
    }

    /// Makes a web view with a configuration that has the defaults. A storyboard's own configuration is not read.
    public required init?(coder: NSCoder) {
        madeWith = WKWebViewConfiguration()
        server = .shared
        bridgedName = WKWebView.freeName(server)
        queue = PageQueue(timeout: server.configuration.limits.pageTimeout)
        limitations = Limitations(server)
        super.init(coder: coder)
        start()
    }

    /// Lets pages attach.
    private func start() {
        reportOwners(isNamed: madeWith.bridgedWebViewName != nil)
        scope.applicationNameForUserAgent = madeWith.applicationNameForUserAgent
        scope.pageObserver = { [weak self] event, page in
            guard let self, page.webView == self.bridgedName else { return }
            withExtendedLifetime(self) {
                if event == .attached, page.frame.isMainFrame {
                    self.madeWith.websiteDataStore.httpCookieStore.attached(page)
                    self.reportWorlds(missingIn: page)
                }
                self.loader.handle(event, page)
            }
        }
        scope.driverHandler = { [weak self] message, page, reply in
            // A popup without a web view of its own has no delegate.
            guard let self, page.webView == self.bridgedName else { return reply.decide(isAllowed: true) }
            withExtendedLifetime(self) { self.loader.handle(message, page, reply) }
        }
        scope.decidesLoads = { [weak self] in self?.navigationDelegate != nil }
        scope.onMissingScript = { [weak self] text in
            guard let self else { return }
            withExtendedLifetime(self) { self.loader.scriptIsMissing(text) }
        }
        scope.allowedScripts = { [madeWith] in madeWith.allowedScripts }
        offerSchemes()
        server.setScope(scope, for: bridgedName)
        madeWith.userContentController.attach(self)
        madeWith.websiteDataStore.attach(self)
    }

    public override convenience init(frame: CGRect) {
        self.init(frame: frame, configuration: WKWebViewConfiguration())
    }

    isolated deinit {
        guard server.scope(for: bridgedName) === scope else { return }
        server.setScope(nil, for: bridgedName)
        server.onWebViewGone?(bridgedName)
    }

    /// Returns the first of the names `main`, `webview-2`, `webview-3`, … that no web view uses.
    private static func freeName(_ server: BridgeServer) -> String {
        guard server.scope(for: "main") != nil else { return "main" }
        var number = 2
        while server.scope(for: "webview-\(number)") != nil { number += 1 }
        return "webview-\(number)"
    }

    /// Reports that pages of another owner do not come to this web view, or no longer to theirs.
    private func reportOwners(isNamed: Bool) {
        if server.scope(for: bridgedName) != nil {
            server.traffic.problem(
                .webViewNameTaken,
                "The web view '\(bridgedName)' has a new owner. Its earlier one gets no more messages.",
                hint: "Give each web view a bridgedWebViewName of its own, or start the server without an emulated app."
            )
        } else if !isNamed, server.app?.isMainWebView == true {
            server.traffic.problem(
                .webViewNotMain,
                "The emulated app has the web view 'main', so a new WKWebView is '\(bridgedName)' and gets only pages that "
                    + "ask for it.",
                hint: "In a test of your own WKWebView, use withBridgedApp(in: …, app: .none).")
        }
    }

    func update(from controller: WKUserContentController) {
        scope.handlers = controller.messageHandlers(for: self)
        if !controller.handlersInWorlds.isEmpty || !scope.handlersInWorlds.isEmpty {
            scope.handlersInWorlds = controller.messageHandlersInWorlds(for: self)
        }
        scope.userScripts = controller.userScripts.map(\.script)
        reportWorlds(missingIn: loader.attachedPage)
    }

    /// Reports the content worlds that the app uses and a page does not have.
    func reportWorlds(missingIn page: Page?) {
        guard let page, !page.isDriven else { return }
        for world in madeWith.userContentController.worlds where reportedWorlds.insert(world).inserted {
            server.traffic.problem(
                .contentWorldUnsupported, world.refusal,
                hint: "docs/fidelity.md lists the differences from a real WKWebView.", page: page)
        }
    }

    // MARK: Scripts

    /// Evaluates a script in the page and calls `completionHandler` with its value or with a ``WKError``.
    ///
    /// If no page is attached but the web view loads one, it waits, at most for
    /// `BridgeServer.Configuration.Limits.pageTimeout`. If the web view has never shown a page, it fails at once: WebKit
    /// would run the script in an empty document. If a subclass overrides this form or the async form, it overrides both,
    /// because they are one method on Apple's systems.
    open func evaluateJavaScript(
        _ javaScriptString: String, completionHandler: (@MainActor @Sendable (Any?, (any Error)?) -> Void)? = nil
    ) {
        guard isSubclass, !isWithinOtherForm else {
            return evaluate(javaScriptString, in: nil) { completionHandler?($0.nativeValue, $0.error) }
        }
        withinOtherForm {
            startImmediately {
                do {
                    let value = try await self.evaluateJavaScript(javaScriptString)
                    completionHandler?(unwrapped(value), nil)
                } catch {
                    completionHandler?(nil, error)
                }
            }
        }
    }

    /// Evaluates a script in the page. For `undefined` the result is an `Any` that holds nil: every `as?` fails.
    /// (WebKit's own async form crashes then.)
    @discardableResult
    open func evaluateJavaScript(_ javaScriptString: String) async throws -> Any {
        let result = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<OnMainActor, any Error>) in
            guard isSubclass, !isWithinOtherForm else {
                return evaluate(javaScriptString, in: nil) { continuation.resume(with: $0.map(\.boxedValue)) }
            }
            withinOtherForm {
                evaluateJavaScript(javaScriptString) { value, error in
                    if let error { return continuation.resume(throwing: error) }
                    continuation.resume(returning: OnMainActor(value: value))
                }
            }
        }
        return boxed(result.value)
    }

    // MARK: Loading

    open var url: URL? { loader.url }
    open var title: String? { loader.title }
    open var isLoading: Bool { loader.isLoading }
    /// 0 before the first load, 0.1 during a load, 0.5 from its commit on, and 1 when it is finished. Driven WebKit reports
    /// the steps between.
    open var estimatedProgress: Double { loader.estimatedProgress }
    open var hasOnlySecureContent: Bool { loader.url?.scheme == "https" }
    open var canGoBack: Bool { loader.history.canGo(-1) }
    open var canGoForward: Bool { loader.history.canGo(1) }
    open private(set) lazy var backForwardList = WKBackForwardList(self)

    /// Navigates the page to the request's URL, after `navigationDelegate` has allowed it. If no page is attached, the
    /// next page that attaches is navigated, unless it already shows that URL. The request's method, header fields and
    /// body are ignored, because a page cannot set them. If the URL's scheme has a `WKURLSchemeHandler`, that gets the
    /// whole request, and gives the document.
    @discardableResult
    open func load(_ request: URLRequest) -> WKNavigation? {
        let isOwnScheme = madeWith.urlSchemeHandler(forURLScheme: request.url?.scheme ?? "") != nil
        return loader.begin(isOwnScheme ? .scheme(request) : .request(request), .other)
    }

    /// Shows HTML as the response to a request, which is not sent. A page with the script tag sends it nevertheless,
    /// because only a browser can show a document at another URL.
    @discardableResult
    open func loadSimulatedRequest(_ request: URLRequest, responseHTML string: String) -> WKNavigation {
        loader.begin(.simulated(request, html: string), .other) ?? WKNavigation()
    }

    /// Navigates the page to a document with that HTML, which the daemon serves. Relative URLs are resolved against
    /// `baseURL`, but the page's origin is the daemon's. A browser that bridged drives shows it at `baseURL` itself.
    @discardableResult
    open func loadHTMLString(_ string: String, baseURL: URL?) -> WKNavigation? {
        loader.begin(.document(addDocument(string, baseURL: baseURL)), .other)
    }

    /// Navigates the page to a file, such as one of the app's bundle. Only a browser that bridged drives can show it.
    /// - Parameter readAccessURL: has no effect. The browser decides which other files the page may read.
    @discardableResult
    open func loadFileURL(_ URL: URL, allowingReadAccessTo readAccessURL: URL) -> WKNavigation? {
        loader.begin(.request(URLRequest(url: URL)), .other)
    }

    /// - Returns: the number of the document.
    func addDocument(_ html: String, baseURL: URL?) -> Int {
        let number = (scope.documents.keys.max() ?? 0) + 1
        scope.documents[number] = WebViewScope.Document(html: html, baseURL: baseURL?.absoluteString)
        return number
    }

    @discardableResult
    open func reload() -> WKNavigation? { loader.begin(.reload, .reload) }

    @discardableResult
    open func reloadFromOrigin() -> WKNavigation? { loader.begin(.reload, .reload) }

    open func stopLoading() { loader.stop() }

    @discardableResult
    open func goBack() -> WKNavigation? { canGoBack ? loader.begin(.history(-1), .backForward) : nil }

    @discardableResult
    open func goForward() -> WKNavigation? { canGoForward ? loader.begin(.history(1), .backForward) : nil }

    /// Terminates the page as if its process had crashed: pending calls fail, the delegate is called, and the web view
    /// shows an empty document. (Private in WebKit, for tests.)
    open func _killWebContentProcessAndResetState() { loader.terminate() }

    open class func handlesURLScheme(_ urlScheme: String) -> Bool { ["http", "https", "about"].contains(urlScheme) }
}

// On Apple's systems, the two forms of `evaluateJavaScript` are one Objective-C method, so that overriding either
// overrides both. Here each form of the base class calls the subclass's other form, unless that form called it.
extension WKWebView {
    /// The web view whose one form of `evaluateJavaScript` is calling the other form in this task.
    @TaskLocal private static var withinOtherForm: ObjectIdentifier?

    private var isSubclass: Bool { type(of: self) != WKWebView.self }

    private var isWithinOtherForm: Bool { WKWebView.withinOtherForm == ObjectIdentifier(self) }

    private func withinOtherForm(_ body: () -> Void) {
        WKWebView.$withinOtherForm.withValue(ObjectIdentifier(self), operation: body)
    }
}

/// A wrapper that carries a native value through a continuation.
///
/// `@unchecked Sendable`: the value is both made and used on the main actor.
struct OnMainActor: @unchecked Sendable {
    let value: Any?
}

extension ScriptValue {
    fileprivate var boxedValue: OnMainActor { OnMainActor(value: nativeValue) }
}

extension WKWebView {
    /// Goes to a page of `backForwardList`. Returns nil if it is not in that list.
    @discardableResult
    public func go(to item: WKBackForwardListItem) -> WKNavigation? {
        guard let steps = loader.history.steps(to: item) else { return nil }
        return loader.begin(.history(steps), .backForward)
    }

    /// Adds an object to the web view's pages from their next load on, as Android's `WebView.addJavascriptInterface`
    /// does. (Not in WebKit.)
    public func addJavascriptInterface(_ object: JavascriptInterface, name: String) {
        scope.javascriptInterfaces[name] = object
    }

    public func removeJavascriptInterface(_ name: String) {
        scope.javascriptInterfaces[name] = nil
    }
}

/// Support for the documents of `loadHTMLString`. The daemon serves them under URLs of its own, and native code sees
/// their base URLs.
extension WKWebView {
    /// Returns the frame with the URL that native code should see.
    func shown(_ frame: FrameInfo) -> FrameInfo {
        guard let baseURL = baseURL(of: frame.url) else { return frame }
        return FrameInfo(url: baseURL.absoluteString, origin: baseURL.origin, isMainFrame: frame.isMainFrame)
    }

    func shownURL(of page: Page) -> URL? { URL(string: shown(page.frame).url) }

    /// Returns the URL that native code sees after a load; nil if it is not known beforehand.
    func url(of target: Loader.Target) -> URL? {
        switch target {
        case .request(let request), .simulated(let request, _), .scheme(let request): request.url
        case .document(let number): baseURL(ofDocument: number)
        case .reload, .history: nil
        }
    }

    /// Returns whether the page already shows the target of a load.
    func shows(_ target: Loader.Target, _ page: Page) -> Bool {
        switch target {
        case .request(let request), .simulated(let request, _):
            request.url?.isSameDocument(as: page.frame.url) ?? false
        case .document(let number): page.frame.url == server.url(ofDocument: number, for: bridgedName)
        case .scheme, .reload, .history: false
        }
    }

    private func baseURL(of url: String) -> URL? {
        guard let blank = server.url(for: bridgedName), url.hasPrefix(blank) else { return nil }
        guard let number = Int(url.dropFirst(blank.count + "&document=".count).prefix { $0.isNumber }) else {
            return .blank
        }
        return baseURL(ofDocument: number)
    }

    private func baseURL(ofDocument number: Int) -> URL {
        scope.documents[number]?.baseURL.flatMap { URL(string: $0) } ?? .blank
    }
}

extension Page {
    /// Makes the response to the request for the page. The status is 200 if the browser does not report it.
    func response(url: URL) -> URLResponse {
        guard ["http", "https"].contains(url.scheme) else {
            return URLResponse(url: url, mimeType: "text/html", expectedContentLength: -1, textEncodingName: nil)
        }
        return HTTPURLResponse(url: url, statusCode: status ?? 200, httpVersion: "HTTP/1.1", headerFields: nil)
            ?? URLResponse(url: url, mimeType: "text/html", expectedContentLength: -1, textEncodingName: nil)
    }
}

extension URL {
    /// Whether a page at the URL `text` shows this URL's document. Fragments do not count, and an empty path is `/`.
    func isSameDocument(as text: String) -> Bool {
        func normalized(_ text: String) -> String? {
            guard var components = URLComponents(string: text) else { return nil }
            components.fragment = nil
            if components.path.isEmpty { components.path = "/" }
            return components.string
        }
        return normalized(absoluteString) == normalized(text)
    }

    /// The serialized origin; `null` for an opaque one.
    var origin: String {
        guard let scheme, let host else { return "null" }
        return "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "")
    }
}
