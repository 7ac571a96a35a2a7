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
        unnamedVisits = 0
        if navigation === self.navigation {
            handle(.loadStarted)
        } else if sendsForm {
            // The web view shows where the form leads. No visit is made, and the screen stays. A browser that is not
            // driven reports only the URL after redirects.
            (sendsForm, showsFormResult) = (false, true)
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
        if redirectsColdBoot(action) {
            decisionHandler(.cancel)
            return cancelColdBoot(redirectedTo: url)
        }
        let isOfApp = target == nil || url.host != webView.url?.host || current != nil && !isAnchor(url)
        let decision = isOfApp ? decide(action) : .allow
        let isForm = action.type == .formSubmitted && action.isForMainFrame
        if platform == .android {
            if isForm, navigationAction.isOfDriver { decideForm(decision) }
        } else {
            sendsForm = isForm && decision == .allow && framework.links == .handlers
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
    /// load, too, and route it. On Android a web view that supports no windows does the same.
    func loadInPlace(ofWindow url: URL) {
        guard framework.links == .handlers || platform == .android else {
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
        delegate?.session(self, didRedirectColdBootTo: url)
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
        }
    }

    public func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
        returnScripts()
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
        guard navigation === self.navigation, current?.visit.kind == .coldBoot, isVisiting else { return }
        handle(.loaded)
        waitForAdapter()
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
        delegate?.session(self, didMeet: .pageLost(error.localizedDescription))
        handle(.loadFailed((error as? URLError)?.code == .timedOut ? .timeoutFailure : .networkFailure))
    }

    public func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
        invalidate()
        delegate?.sessionWebViewProcessDidTerminate(self)
    }
}

/// Finds out why a page that has loaded does not end its visit.
///
/// As on a phone, the visit goes on: the adapter waits for Turbo's event `turbo:load` without end, and says that the page has
/// no Turbo only if neither Turbo nor Turbolinks is there after `Framework.turboLoadTimeout`.
extension Session {
    /// The facts about a page without a ready adapter. `lateBy` is the time at which Turbo started, in milliseconds
    /// after the load event.
    private struct Facts {
        let hasTurbo: Bool
        let hasAdapter: Bool
        let lateBy: Double?

        static let script = """
            (() => {
              const [load] = performance.getEntriesByType("navigation")
              const [start] = performance.getEntriesByName("turbo starts")
              const lateBy = load && start ? start.startTime - load.loadEventStart : null
              return { hasTurbo: !!(window.Turbo || window.Turbolinks), hasAdapter: !!window.turboNative, lateBy }
            })()
            """
    }

    /// The result of asking a page for its facts.
    private enum Answer {
        case facts(Facts)
        /// The page runs no script of the app.
        case refused
        /// The answer cannot be read. No document sends such an answer, but a stand-in for a page may.
        case unknown
        /// The page has not answered in time, because a script is running.
        case late

        /// Whether the answer cannot change any more. If Turbo has started in time, it may be about to report that it
        /// is ready.
        var isCertain: Bool {
            switch self {
            case .facts(let facts): !facts.hasTurbo || !facts.hasAdapter || facts.lateBy.map { $0 > 0 } ?? false
            case .refused: true
            case .unknown, .late: false
            }
        }
    }

    /// How long a page may take to answer.
    private static let answerTimeout = Duration.seconds(2)
    /// The number of questions without an answer after which a page counts as one that runs no script of the app.
    private static let mostLateAnswers = 3
    /// The longest pause between two questions.
    private static let longestPause = Duration.seconds(60)

    /// Looks for the reason repeatedly, because Turbo may start at any time. The pauses grow.
    private func waitForAdapter() {
        readiness = Task { [weak self, readyTimeout] in
            var (pause, lateAnswers) = (readyTimeout, 0)
            while (try? await Task.sleep(for: pause)) != nil, let self, isVisiting {
                guard await !reportReason(&lateAnswers) else {
                    if !Task.isCancelled { readiness = nil }
                    return
                }
                pause = max(readyTimeout, min(pause * 2, Session.longestPause))
            }
        }
    }

    func stopWaitingForAdapter() {
        readiness?.cancel()
        readiness = nil
    }

    /// Looks for the reason now, if the document has loaded, and reports what is certain already.
    func reportReasonNow() async {
        // Android adds its adapter in the turn after the load event, and its messages may be on their way.
        guard isWaitingForAdapter, (try? await Task.sleep(for: .milliseconds(100))) != nil, isWaitingForAdapter else {
            return
        }
        let answer = await answer()
        guard isWaitingForAdapter, answer.isCertain, report(answer) else { return }
        stopWaitingForAdapter()
    }

    private var isWaitingForAdapter: Bool { readiness != nil && isVisiting && !isTurboReady && !hasAdapter }

    func missTurbo() {
        guard !hasMissedTurbo else { return }
        hasMissedTurbo = true
        delegate?.session(self, didMeet: .turboMissing)
    }

    /// - Parameter lateAnswers: how many questions in a row got no answer.
    /// - Returns: whether the search is over.
    private func reportReason(_ lateAnswers: inout Int) async -> Bool {
        guard !isTurboReady else {
            delegate?.session(self, didMeet: .pageLoadedMissing)
            return true
        }
        // The adapter has said that there is no Turbo.
        guard !hasAdapter else { return true }
        let answer = await answer()
        guard !Task.isCancelled, isVisiting, !isTurboReady, !hasAdapter else { return false }
        // On a phone nothing can prevent the adapter from running, so this case has no counterpart there.
        if case .late = answer { lateAnswers += 1 } else { lateAnswers = 0 }
        if (1..<Session.mostLateAnswers).contains(lateAnswers) { return false }
        return report(answer)
    }

    /// - Returns: whether the search is over.
    private func report(_ answer: Answer) -> Bool {
        guard case .facts(let facts) = answer, facts.hasAdapter else {
            delegate?.session(self, didMeet: .adapterMissing)
            handle(.pageLoadFailed)
            return true
        }
        guard facts.hasTurbo else {
            missTurbo()
            return false
        }
        let seconds = facts.lateBy.flatMap { $0 > 0 ? $0 / 1000 : nil }
        delegate?.session(self, didMeet: .turboLate(seconds: seconds))
        return true
    }

    private func answer() async -> Answer {
        let question = Question()
        let timeout = Task {
            try? await Task.sleep(for: Session.answerTimeout)
            question.answer(.late)
        }
        defer { timeout.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                question.continuation = continuation
                guard !Task.isCancelled else { return question.answer(.late) }
                // An app does not evaluate this, so a replay must leave it out.
                ToolScripts.$areRunning.withValue(true) {
                    webView.evaluateJavaScript(Facts.script) { value, error in
                        question.answer(error == nil ? Session.answer(value) : .refused)
                    }
                }
            }
        } onCancel: {
            timeout.cancel()
        }
    }

    private static func answer(_ value: Any?) -> Answer {
        guard let members = value as? [String: Any], let hasTurbo = members["hasTurbo"] as? Bool,
            let hasAdapter = members["hasAdapter"] as? Bool
        else { return .unknown }
        return .facts(Facts(hasTurbo: hasTurbo, hasAdapter: hasAdapter, lateBy: members["lateBy"] as? Double))
    }

    /// A question that gets the first answer only.
    @MainActor private final class Question {
        var continuation: CheckedContinuation<Answer, Never>?

        func answer(_ answer: Answer) { continuation.take()?.resume(returning: answer) }
    }
}
