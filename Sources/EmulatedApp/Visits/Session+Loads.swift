import BridgeProtocol
import BridgeServer
public import BridgeWebKit
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The loads of the web view.
extension Session: WKNavigationDelegate {
    public func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
        forgetDocument()
        turboVisits.forgetUnnamed()
        if !form.isSent { returnScripts() }
        if navigation === self.navigation {
            handle(.loadStarted)
        } else if form.beginLoad() {
            // The web view shows where the form leads. No visit is made, and the screen stays. A browser that is not
            // driven reports only the URL after redirects.
        } else {
            invalidate()
            self.navigation = navigation
            delegate?.sessionDidStartUnaskedLoad(self)
            // `adopt(_:)` begins a visit, which clears `navigation`.
            if self.navigation == nil { self.navigation = navigation }
        }
    }

    /// Decides about a load that the page begins. Browsers that bridged drives ask, and so do some others. In every
    /// browser, the adapter reports links to other hosts.
    public func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    ) {
        guard let url = navigationAction.request.url else { return decisionHandler(.allow) }
        let target = navigationAction.targetFrame
        let action = WebViewPolicyHandler.Action(
            url: url, type: navigationAction.navigationType, isForMainFrame: target?.isMainFrame ?? false,
            isOfScript: navigationAction.isOfScript && mayRouteScripts,
            isPost: navigationAction.request.httpMethod == "POST")
        // What a test loads meanwhile is no redirect.
        if !navigationAction.isAskedFor {
            if redirectsColdBoot(action) {
                decisionHandler(.cancel)
                return cancelColdBoot(redirectedTo: url)
            }
            if replacesColdBoot(action, isOfScript: navigationAction.isOfScript) {
                decisionHandler(.cancel)
                invalidate()
                delegate?.session(self, didRedirectColdBootTo: url, isLoading: false)
                return
            }
        }
        // Android asks only about main frames and, for links, about new windows.
        if platform == .android, target?.isMainFrame == false { return decisionHandler(.allow) }
        let isOfApp = target == nil || url.host != webView.url?.host || current != nil && !isAnchor(url)
        let decision = isOfApp ? decide(action) : .allow
        let isForm = action.type == .formSubmitted && action.isForMainFrame
        if platform == .android {
            if isForm, navigationAction.isOfDriver { decideForm(decision) }
        } else {
            form.isSent = isForm && decision == .allow && framework.links == .handlers
        }
        decisionHandler(decision == .allow ? .allow : .cancel)
        carryOut(decision, url)
    }

    /// Whether a load that a script begins may be routed: not before the app has a page, and not during a cold boot,
    /// because such a load may be a part of it.
    private var mayRouteScripts: Bool {
        current.map { !($0.visit.kind == .coldBoot && $0.visit.state == .started) } ?? false
    }

    private func decide(_ action: WebViewPolicyHandler.Action) -> WebViewPolicyHandler.Decision {
        let isLink = action.type == .linkActivated
        // See `shouldOverrideUrlLoading`, which cannot tell a link from a script or from a form. It is not called for POST,
        // but for its redirect, and does nothing before Turbo is ready.
        if platform == .android {
            let isGet = action.isOfScript || action.type == .formSubmitted && !action.isPost && isInitialized
            return isLink || isGet && action.isForMainFrame ? .route : .allow
        }
        guard framework.links == .handlers else { return isLink ? .route : .allow }
        // See `ColdBootVisit.swift`: links are proposed before the handlers are asked.
        if isLink, isVisiting, current?.visit.kind == .coldBoot { return .route }
        return policyHandlers.decision(on: action)
    }

    private func carryOut(_ decision: WebViewPolicyHandler.Decision, _ url: URL) {
        switch decision {
        case .allow: break
        case .cancel: delegate?.session(self, didCancelLinkTo: url)
        case .route: followLink(to: url)
        case .reload: delegate?.sessionDidRequestReload(self)
        }
    }

    /// Handles a link that the adapter has prevented the browser from following.
    func receiveLink(to url: URL) {
        let decision = decide(.init(url: url, type: .linkActivated, isForMainFrame: true))
        if decision == .allow { webView.load(URLRequest(url: url)) }
        carryOut(decision, url)
    }

    /// Loads in the web view what a page opens in a new window; see `WKUIController.swift`. The handlers are asked about this
    /// load, too, and route it. Android follows only links to new windows, about which it is asked before; see
    /// `HotwireWebChromeClient.kt`, `onCreateWindow`.
    func loadInPlace(ofWindow url: URL) {
        guard framework.links == .handlers, platform != .android else {
            delegate?.session(self, didCancelWindowFor: url)
            return
        }
        let decision = decide(.init(url: url, type: .other, isForMainFrame: true, isOfScript: true))
        if decision == .allow { webView.load(URLRequest(url: url)) }
        carryOut(decision, url)
    }

    // MARK: Redirects of cold boots

    /// Whether a load is the redirect of the current cold boot to another host.
    private func redirectsColdBoot(_ action: WebViewPolicyHandler.Action) -> Bool {
        guard framework.cancelsRedirectedColdBoots, ![.linkActivated, .formSubmitted].contains(action.type),
            action.isForMainFrame,
            let visit = current?.visit, visit.kind == .coldBoot, visit.state == .started
        else { return false }
        return action.url.host != visit.url.host
    }

    /// Proposes the target of a cold boot's redirect, whose visit then fails as the load does; see `ColdBootVisit.swift`.
    private func cancelColdBoot(redirectedTo url: URL) {
        delegate?.session(self, didRedirectColdBootTo: url, isLoading: false)
        loadError = .frameLoadInterrupted
        handle(.loadFailed(.networkFailure))
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
        // In WebKit, an app cancels a response with an error status, and the old page stays. Here the browser already
        // shows the response.
        decisionHandler(.allow)
        if let response = navigationResponse.response as? HTTPURLResponse {
            handle(.responded(status: response.statusCode))
            if navigationResponse.isForMainFrame { reportErrorOfForm(status: response.statusCode) }
        }
    }

    public func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
        guard navigation === self.navigation else { return }
        guard framework.cancelsRedirectedColdBoots else { return reportColdBootRedirect() }
        // A browser that is not driven does not ask before it follows a redirect.
        guard let url = webView.url, isVisiting,
            redirectsColdBoot(.init(url: url, type: .other, isForMainFrame: true))
        else { return }
        cancelColdBoot(redirectedTo: url)
        invalidate()
    }

    public func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        // Not before: scripts that are added to a document whose end has not come run at its end.
        returnScripts()
        guard navigation === self.navigation, current?.visit.kind == .coldBoot, isVisiting else { return }
        handle(.loaded)
        delegate?.sessionDidLoadDocument(self)
        turbo.beginSearch(after: readyTimeout)
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
        returnScripts()
        // A load that was cancelled because another one began counts as cancelled, not as failed.
        guard navigation === self.navigation, (error as? URLError)?.code != .cancelled, isVisiting else { return }
        loadError = WebError(error)
        didMeet(.pageLost(error.localizedDescription))
        handle(.loadFailed((error as? URLError)?.code == .timedOut ? .timeoutFailure : .networkFailure))
    }

    public func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
        invalidate()
        delegate?.sessionWebViewProcessDidTerminate(self)
    }
}
