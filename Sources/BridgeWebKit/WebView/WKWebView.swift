import BridgeProtocol
import BridgeServer
public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A web view whose pages are shown by browsers: every page that attaches under its name is its page
/// (`bridgedWebViewName`).
///
/// Scripts run in the newest main-frame page that is attached, in the order in which they were asked for. On the main
/// actor.
@preconcurrency @MainActor open class WKWebView: NSObject {
    /// A copy, as on Apple: what can be changed in a living web view are the objects in it, above all the
    /// `userContentController`.
    open var configuration: WKWebViewConfiguration { madeWith.copied() }
    open weak var navigationDelegate: (any WKNavigationDelegate)?
    /// Kept, and not called: the browser shows its own dialogs.
    open weak var uiDelegate: (any WKUIDelegate)?
    /// What `navigator.userAgent` says in documents that are loaded from now on. Requests carry the browser's own.
    open var customUserAgent: String? {
        get { scope.userAgent }
        set { scope.userAgent = newValue }
    }

    // What follows has no effect: it is here so that code which sets it compiles.

    open var frame: CGRect
    open var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }
    open var isHidden = false
    open var isOpaque = true
    open var translatesAutoresizingMaskIntoConstraints = true
    open var allowsBackForwardNavigationGestures = false
    open var allowsLinkPreview = true
    open var isInspectable = false
    open var pageZoom: CGFloat = 1
    open var mediaType: String?
    open private(set) lazy var scrollView = WKScrollView()

    /// Ours: the name under which pages attach.
    public let bridgedName: String
    let server: BridgeServer
    let scope = WebViewScope()
    let queue: PageQueue
    private let madeWith: WKWebViewConfiguration
    private(set) lazy var loader = Loader(self)

    public init(frame: CGRect, configuration: WKWebViewConfiguration) {
        self.frame = frame
        madeWith = configuration.copied()
        server = configuration.bridgeServer ?? .shared
        bridgedName = configuration.bridgedWebViewName ?? WKWebView.freeName(server)
        queue = PageQueue(timeout: server.configuration.limits.pageTimeout)
        super.init()
        scope.applicationNameForUserAgent = configuration.applicationNameForUserAgent
        scope.pageObserver = { [weak self] event, page in
            guard let self, page.webView == self.bridgedName else { return }
            withExtendedLifetime(self) { self.loader.handle(event, page) }
        }
        scope.allowedScripts = { [madeWith] in madeWith.allowedScripts }
        server.setScope(scope, for: bridgedName)
        madeWith.userContentController.attach(self)
    }

    public convenience init(frame: CGRect) {
        self.init(frame: frame, configuration: WKWebViewConfiguration())
    }

    public override convenience init() {
        self.init(frame: .zero, configuration: WKWebViewConfiguration())
    }

    /// Web views do not come from archives here.
    public required init?(coder: NSCoder) { nil }

    isolated deinit {
        if server.scope(for: bridgedName) === scope { server.setScope(nil, for: bridgedName) }
    }

    /// `main`, then `webview-2`, `webview-3`, …: the first that no living web view has.
    private static func freeName(_ server: BridgeServer) -> String {
        guard server.scope(for: "main") != nil else { return "main" }
        var number = 2
        while server.scope(for: "webview-\(number)") != nil { number += 1 }
        return "webview-\(number)"
    }

    func update(from controller: WKUserContentController) {
        scope.handlers = controller.messageHandlers(for: self)
        scope.userScripts = controller.userScripts.filter(\.world.isPage).map(\.script)
    }

    // MARK: Scripts

    /// Evaluates a script in the page: its completion value goes to `completionHandler`, or a ``WKError``.
    ///
    /// Without a page it waits for one, up to `BridgeServer.Configuration.Limits.pageTimeout`. An override of the async form
    /// is called here, too, and the other way round: on Apple both are one method.
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

    /// The async form. For `undefined` the result is an `Any` that holds nil: every `as?` fails. (Apple's crashes.)
    @discardableResult
    open func evaluateJavaScript(_ javaScriptString: String) async throws -> Any {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<OnMainActor, any Error>) in
            guard isSubclass, !isWithinOtherForm else {
                return evaluate(javaScriptString, in: nil) { continuation.resume(with: $0.map(\.boxedValue)) }
            }
            withinOtherForm {
                evaluateJavaScript(javaScriptString) { value, error in
                    if let error { return continuation.resume(throwing: error) }
                    continuation.resume(returning: OnMainActor(value: value))
                }
            }
        }.value as Any
    }

    // MARK: Loading

    open var url: URL? { loader.url }
    open var title: String? { loader.title }
    open var isLoading: Bool { loader.isLoading }
    /// 0 before the first load; while one is on its way 0.1, 0.5 once its document is there; 1 when it is finished.
    open var estimatedProgress: Double { loader.estimatedProgress }
    open var hasOnlySecureContent: Bool { loader.url?.scheme == "https" }
    open var canGoBack: Bool { loader.history.canGo(-1) }
    open var canGoForward: Bool { loader.history.canGo(1) }

    /// Has the page load the request's URL, once `navigationDelegate` allows it. Without a page it waits until one
    /// attaches. Method, header fields and body are left out: a page can't set them.
    @discardableResult
    open func load(_ request: URLRequest) -> WKNavigation? {
        loader.begin(.request(request), .other)
    }

    /// Has the page load HTML from the daemon. Relative URLs are resolved against `baseURL`, but the page's origin is
    /// the daemon's.
    @discardableResult
    open func loadHTMLString(_ string: String, baseURL: URL?) -> WKNavigation? {
        let number = (scope.documents.keys.max() ?? 0) + 1
        scope.documents[number] = WebViewScope.Document(html: string, baseURL: baseURL?.absoluteString)
        return loader.begin(.document(number), .other)
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

    /// Ends the page as if its process had crashed: what was asked of it fails, the delegate hears of it, and an empty
    /// document is shown. (WebKit's own, for tests.)
    open func _killWebContentProcessAndResetState() { loader.terminate() }

    open class func handlesURLScheme(_ urlScheme: String) -> Bool { ["http", "https", "about"].contains(urlScheme) }
}

/// What scrolls is in the browser: these are kept, and have no effect.
@preconcurrency @MainActor open class WKScrollView: NSObject {
    open var bounces = true
    open var alwaysBounceVertical = false
    open var isScrollEnabled = true
    open var contentOffset = CGPoint.zero
    open var contentSize = CGSize.zero
}
