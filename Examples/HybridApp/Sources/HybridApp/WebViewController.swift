import WebKit

/// A screen with a web page, as in an iOS app.
@MainActor final class WebViewController: NSObject {
    private let webView: WKWebView
    private let confirmations: AsyncThrowingStream<String, any Error>
    private let confirm: AsyncThrowingStream<String, any Error>.Continuation

    override init() {
        let handler = ScriptMessageHandler()
        let configuration = WKWebViewConfiguration()
        configuration.applicationNameForUserAgent = "HybridApp/1.0"
        configuration.userContentController.add(handler, name: "nativeApp")
        webView = WKWebView(frame: .zero, configuration: configuration)
        (confirmations, confirm) = AsyncThrowingStream.makeStream()
        super.init()
        handler.delegate = self
        webView.navigationDelegate = self
    }

    func visit(_ url: URL) {
        webView.load(URLRequest(url: url))
    }

    /// Waits for the page's answer to the push token.
    func confirmation() async throws -> String {
        for try await confirmation in confirmations { return confirmation }
        throw CancellationError()
    }
}

extension WebViewController: ScriptMessageHandlerDelegate {
    func registerPushToken() {
        let token = "c0ffee"
        webView.evaluateJavaScript("window.bridge.register('\(token)')") { [confirm] result, error in
            if let error {
                confirm.finish(throwing: error)
            } else {
                confirm.yield(result as? String ?? "nothing")
            }
        }
    }

    func showActionButton(path: String, icon: String) {
        print("Showing a button with the icon \(icon) that leads to \(path)")
    }
}

extension WebViewController: WKNavigationDelegate {
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        print("Showing \(webView.title ?? "a page without a title")")
    }

    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
        confirm.finish(throwing: error)
    }
}
