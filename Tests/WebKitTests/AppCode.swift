@preconcurrency import WebKit

// Code of iOS apps in Swift 5, which does not know bridged. The test is that it compiles. One decision handler has the
// signature from before iOS 18, for which the compiler warns on Apple's systems, too.

protocol BridgeDelegate: AnyObject {
    func bridgeDidReceive(_ name: String, data: [String: AnyHashable])
}

/// A bridge between a web view and its app.
final class AppBridge {
    weak var delegate: BridgeDelegate?
    let webView: WKWebView

    init(webView: WKWebView) {
        self.webView = webView
        let controller = webView.configuration.userContentController
        controller.addUserScript(
            WKUserScript(source: "window.isApp = true", injectionTime: .atDocumentStart, forMainFrameOnly: true))
        controller.add(Forwarder(bridge: self), name: "bridge")
    }

    deinit {
        webView.configuration.userContentController.removeScriptMessageHandler(forName: "bridge")
    }

    func receive(_ message: WKScriptMessage) {
        guard let body = message.body as? [String: AnyHashable], let name = body["name"] as? String else { return }
        delegate?.bridgeDidReceive(name, data: body["data"] as? [String: AnyHashable] ?? [:])
    }

    func call(_ function: String) {
        webView.evaluateJavaScript("\(function)()") { result, error in
            if let error = error as NSError?, error.domain == WKErrorDomain { print(error.code) }
            if let result = result as? [String: Any] { print(result) }
        }
    }

    @MainActor func evaluate(_ script: String) async throws -> Any? {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Any?, Error>) in
            webView.evaluateJavaScript(script) { value, error in
                if let error = error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: value)
                }
            }
        }
    }
}

final class Forwarder: NSObject, WKScriptMessageHandler {
    weak var bridge: AppBridge?

    init(bridge: AppBridge) { self.bridge = bridge }

    func userContentController(
        _ userContentController: WKUserContentController, didReceive scriptMessage: WKScriptMessage
    ) {
        bridge?.receive(scriptMessage)
    }
}

/// A visit that loads a page and tracks its navigation.
final class Visit: NSObject, WKNavigationDelegate {
    private(set) var navigation: WKNavigation?
    private(set) var status: Int?
    private(set) var error: Error?

    func start(_ url: URL, in webView: WKWebView) {
        webView.navigationDelegate = self
        navigation = webView.load(URLRequest(url: url))
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    ) {
        let isMainFrame = navigationAction.targetFrame?.isMainFrame ?? false
        decisionHandler(navigationAction.navigationType == .linkActivated || !isMainFrame ? .cancel : .allow)
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
        decisionHandler: @escaping @MainActor (WKNavigationResponsePolicy) -> Void
    ) {
        status = (navigationResponse.response as? HTTPURLResponse)?.statusCode
        decisionHandler(.allow)
    }

    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        guard navigation == self.navigation else { return }
        webView.navigationDelegate = nil
    }

    func webView(_ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: Error) {
        self.error = error
    }

    func webView(
        _ webView: WKWebView, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @MainActor (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.performDefaultHandling, nil)
    }

    func webViewWebContentProcessDidTerminate(_ webView: WKWebView) { webView.reload() }
}

final class Alerts: NSObject, WKUIDelegate {
    func webView(
        _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor () -> Void
    ) {
        completionHandler()
    }
}

func makeConfiguration() -> WKWebViewConfiguration {
    let configuration = WKWebViewConfiguration()
    configuration.defaultWebpagePreferences?.preferredContentMode = .mobile
    configuration.applicationNameForUserAgent = "Turbo Native iOS"
    configuration.processPool = WKProcessPool()
    configuration.websiteDataStore = .nonPersistent()
    return configuration
}

/// A screen with a progress bar, files of its own scheme, and a history.
final class Browser: NSObject, WKURLSchemeHandler {
    private let webView: WKWebView
    private var observations: [NSKeyValueObservation] = []
    var progress = 0.0
    var title: String?

    @MainActor override init() {
        let configuration = WKWebViewConfiguration()
        webView = WKWebView(frame: .zero, configuration: configuration)
        super.init()
        configuration.setURLSchemeHandler(self, forURLScheme: "app")
        webView.scrollView.contentInsetAdjustmentBehavior = .never
        webView.scrollView.bounces = false
        observations = [
            webView.observe(\.estimatedProgress, options: [.new]) { [weak self] webView, change in
                self?.progress = change.newValue ?? webView.estimatedProgress
            },
            webView.observe(\.title, options: .new) { [weak self] webView, _ in self?.title = webView.title },
            webView.observe(\.url) { _, _ in },
            webView.observe(\.isLoading, options: [.initial]) { _, _ in },
            webView.observe(\.canGoBack) { _, _ in },
        ]
        if let item = webView.backForwardList.backItem { webView.go(to: item) }
        webView.configuration.websiteDataStore.httpCookieStore.getAllCookies { cookies in print(cookies.count) }
        webView.takeSnapshot(with: WKSnapshotConfiguration()) { image, error in print(image as Any, error as Any) }
    }

    func webView(_ webView: WKWebView, start urlSchemeTask: WKURLSchemeTask) {
        guard let url = urlSchemeTask.request.url else { return urlSchemeTask.didFailWithError(URLError(.badURL)) }
        let data = Data("<p>hi".utf8)
        urlSchemeTask.didReceive(
            URLResponse(url: url, mimeType: "text/html", expectedContentLength: data.count, textEncodingName: nil))
        urlSchemeTask.didReceive(data)
        urlSchemeTask.didFinish()
    }

    func webView(_ webView: WKWebView, stop urlSchemeTask: WKURLSchemeTask) {}
}

// Code of their tests.

final class FakeScriptMessage: WKScriptMessage {
    override var body: Any { actualBody }
    private let actualBody: Any

    init(body: Any) { actualBody = body }
}

final class AsyncSpy: WKWebView {
    var lastScript: String?

    override func evaluateJavaScript(_ javaScriptString: String) async throws -> Any {
        lastScript = javaScriptString
        return try await super.evaluateJavaScript(javaScriptString)
    }
}

final class CompletionSpy: WKWebView {
    var lastScript: String?

    override func evaluateJavaScript(
        _ javaScriptString: String, completionHandler: (@MainActor (Any?, Error?) -> Void)? = nil
    ) {
        lastScript = javaScriptString
        completionHandler?("spied", nil)
    }
}
