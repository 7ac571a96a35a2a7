import BridgeWebKit
import Foundation

/// The parts of a session in which hotwire-native-android's `Session.kt` differs from iOS.
extension Session {
    /// Android adds the adapter when the page has loaded; see `onPageFinished`.
    static func afterLoad(_ adapter: String) -> String {
        """
        (() => { const install = () => { \(adapter)
        }
        if (document.readyState === "complete") install()
        else addEventListener("load", () => setTimeout(install), { once: true }) })()
        """
    }

    /// Two links within this time count as one.
    private static let linkInterval = Duration.milliseconds(500)

    /// Reports a link that Turbo does not handle. Android ignores a second one that follows at once; see
    /// `shouldProposeThrottledVisit`.
    func followLink(to url: URL) {
        let (now, last) = (ContinuousClock.now, lastLink)
        lastLink = now
        if platform == .android, let last, now - last <= Session.linkInterval { return }
        delegate?.session(self, didFollowLinkTo: url)
    }

    // MARK: Forms without Turbo

    /// Prepares for the result of a form that the page sends by itself. If native code allows the load, the screen
    /// stays and shows the result without a visit: without the adapter and the components, which come only with a cold
    /// boot (`onPageFinished`). If native code routes a redirect, the page stays.
    func decideForm(_ decision: WebViewPolicyHandler.Decision) {
        guard decision == .allow else {
            returnScripts()
            if form.showsResult { turbo.keep(isReady: isInitialized) }
            return form.cancel()
        }
        form.isSent = true
        let controller = webView.configuration.userContentController
        if form.withhold(controller.userScripts) { controller.removeAllUserScripts() }
    }

    /// Shows an error if the result of such a form has the status of one, whatever the page shows. The next visit is a cold
    /// boot; see `onReceivedHttpError`.
    func reportErrorOfForm(status: Int) {
        guard platform == .android, status >= 400, form.showsResult, let visitable = current?.visitable else { return }
        invalidate()
        delegate?.session(self, didFailRequestFor: visitable, error: TurboError(statusCode: status))
    }

    /// Gives the user scripts to the following documents again.
    func returnScripts() {
        for script in form.takeScripts() { webView.configuration.userContentController.addUserScript(script) }
    }

    /// Whether a load takes the place of the current cold boot. On Android each load that the page begins before Turbo is
    /// ready does so, and each redirect; see `shouldOverrideUrlLoading`. A redirect to the same host is reported when its
    /// page loads: see ``reportColdBootRedirect()``.
    func replacesColdBoot(_ action: WebViewPolicyHandler.Action, isOfScript: Bool) -> Bool {
        guard platform == .android, action.isForMainFrame, !action.isPost,
            let visit = current?.visit, visit.kind == .coldBoot, visit.state == .started,
            ["http", "https"].contains(action.url.scheme), !action.url.isSamePage(as: visit.url)
        else { return false }
        return isOfScript || [.linkActivated, .formSubmitted].contains(action.type) || action.url.host != visit.url.host
    }

    /// Whether a cold boot was redirected. Android cancels such a load, and proposes to replace the screen; see
    /// `shouldOverrideUrlLoading`. Here the page has loaded already, and becomes that of the new screen.
    func reportColdBootRedirect() {
        guard platform == .android, let visit = current?.visit, visit.kind == .coldBoot, visit.state == .started,
            let url = webView.url, ["http", "https"].contains(url.scheme), !url.isSamePage(as: visit.url)
        else { return }
        let navigation = navigation
        delegate?.session(self, didRedirectColdBootTo: url, isLoading: true)
        // `adopt(_:)` begins a visit, which clears `navigation`.
        if self.navigation == nil, isVisiting { self.navigation = navigation }
    }
}

extension URL {
    /// Whether two URLs differ in nothing but the fragment and a missing path.
    fileprivate func isSamePage(as other: URL) -> Bool {
        func page(_ url: URL) -> String {
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
            components?.fragment = nil
            if components?.path.isEmpty == true { components?.path = "/" }
            return components?.string ?? url.absoluteString
        }
        return page(self) == page(other)
    }
}
