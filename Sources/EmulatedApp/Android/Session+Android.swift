import Foundation

/// What hotwire-native-android's `Session.kt` does otherwise than iOS.
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

    /// Notes what becomes of a form that the page sends by itself. Its result is no visit: the screen stays, and gets neither
    /// the adapter nor the components, which come with a cold boot only (`onPageFinished`). A redirect is routed, and the
    /// page stays.
    func decideForm(_ decision: WebViewPolicyHandler.Decision) {
        guard decision == .allow else {
            returnScripts()
            if showsFormResult { (showsFormResult, isTurboReady, hasAdapter) = (false, isInitialized, isInitialized) }
            sendsForm = false
            return
        }
        sendsForm = true
        guard withheldScripts.isEmpty else { return }
        let controller = webView.configuration.userContentController
        withheldScripts = controller.userScripts
        controller.removeAllUserScripts()
    }

    /// Gives the documents that follow their user scripts again.
    func returnScripts() {
        for script in withheldScripts { webView.configuration.userContentController.addUserScript(script) }
        withheldScripts = []
    }

    /// Whether a cold boot was redirected. Android cancels such a load, and proposes to replace the screen; see
    /// `shouldOverrideUrlLoading`. Here the page is there already, and becomes the new screen's.
    func reportColdBootRedirect() {
        guard platform == .android, let visit = current?.visit, visit.kind == .coldBoot, visit.state == .started,
            let url = webView.url, ["http", "https"].contains(url.scheme), !url.isSamePage(as: visit.url)
        else { return }
        let navigation = navigation
        delegate?.session(self, didRedirectColdBootTo: url)
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
