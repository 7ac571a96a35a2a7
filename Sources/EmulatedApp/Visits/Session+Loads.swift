public import BridgeWebKit
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The loads of the web view.
extension Session: WKNavigationDelegate {
    public func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
        (isTurboReady, hasAdapter) = (false, false)
        unnamedVisits = 0
        if navigation === self.navigation {
            handle(.loadStarted)
        } else {
            invalidate()
            self.navigation = navigation
            delegate?.sessionDidStartUnaskedLoad(self)
            // `adopt(_:)` begins a visit, which clears `navigation`.
            if self.navigation == nil { self.navigation = navigation }
        }
    }

    /// Cancels links that Turbo does not handle: the app decides what becomes of them. Only a browser that bridged drives
    /// asks; for others, the adapter reports links to other hosts and those that open a window.
    public func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    ) {
        let target = navigationAction.targetFrame
        guard navigationAction.navigationType == .linkActivated, target?.isMainFrame ?? true,
            let url = navigationAction.request.url,
            target == nil || url.host != webView.url?.host || current != nil && !isAnchor(url)
        else { return decisionHandler(.allow) }
        decisionHandler(.cancel)
        followLink(to: url)
    }

    /// Whether a URL is a place in the document that is shown.
    private func isAnchor(_ url: URL) -> Bool {
        guard url.fragment() != nil, let shown = webView.url else { return false }
        return url.absoluteString.prefix { $0 != "#" } == shown.absoluteString.prefix { $0 != "#" }
    }

    public func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void
    ) {
        // In WebKit, an app cancels a response that has an error status, and its page stays. Here the browser already
        // shows the response.
        decisionHandler(.allow)
        if let response = navigationResponse.response as? HTTPURLResponse {
            handle(.responded(status: response.statusCode))
        }
    }

    public func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
        if navigation === self.navigation { reportColdBootRedirect() }
    }

    public func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        guard navigation === self.navigation, current?.visit.kind == .coldBoot, isVisiting else { return }
        handle(.loaded)
        readiness = Task { [weak self, readyTimeout] in
            guard (try? await Task.sleep(for: readyTimeout)) != nil, let self, isVisiting else { return }
            delegate?.session(self, didMeet: isTurboReady ? .pageLoadedMissing : .adapterMissing)
            handle(.pageLoadFailed)
        }
    }

    public func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        didFail(navigation, error)
    }

    public func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
        didFail(navigation, error)
    }

    private func didFail(_ navigation: WKNavigation, _ error: any Error) {
        // A load that is cancelled because another one began has not failed.
        guard navigation === self.navigation, (error as? URLError)?.code != .cancelled, isVisiting else { return }
        delegate?.session(self, didMeet: .pageLost(error.localizedDescription))
        handle(.loadFailed((error as? URLError)?.code == .timedOut ? .timeoutFailure : .networkFailure))
    }

    public func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
        invalidate()
        delegate?.sessionWebViewProcessDidTerminate(self)
    }
}
