import BridgeInput
import BridgeProtocol
import BridgeServer
import BridgeWebKit
public import Foundation
import PathConfiguration

/// Carries out what the navigator decides.
extension EmulatedApp {
    /// Routes to a URL, as the app's own code does.
    public func route(_ url: URL, action: VisitAction = .advance) {
        navigate("the app goes to \(url)", VisitOptions(action: action)) { $0.route(url, action: action) }
    }

    /// Runs a step of the navigator and carries out its effects.
    /// - Parameter cause: what happened, for the log and for the chain that explains a double visit.
    /// - Returns: what the navigator decided; empty if nothing changes.
    @discardableResult
    func navigate(
        _ cause: String, _ options: VisitOptions = VisitOptions(),
        _ step: @escaping (inout Navigator) -> [NavigationEffect]
    ) -> [NavigationEffect] {
        let effects = decide(cause, step)
        defer { visits.endDecision() }
        for effect in effects {
            switch effect {
            case .visit(let order): visit(order, options)
            // The navigator has changed the stacks already. There is no view to move.
            case .transition: break
            case .open(let url, let browser): open(url, in: browser)
            case .presentAlert(let stack): presentAlert(over: stack)
            case .cancelBack(let stack): screens.cancelBack(on: stack)
            }
        }
        discardScreens()
        screens.visibleScreenDidAppear()
        screens.updateDestinations()
        if !tabs.allSessions.contains(where: \.isVisiting) { visits.endChain() }
        return effects
    }

    private func decide(
        _ cause: String, _ step: @escaping (inout Navigator) -> [NavigationEffect]
    ) -> [NavigationEffect] {
        guard var navigator = tabs.navigator else { return [] }
        navigator.state.screensMade = tabs.screensMade
        let before = navigator
        let effects = step(&navigator)
        tabs.navigator = navigator
        ActionResult.current?.why = navigator.reasons.map(\.text)
        let decision = VisitHistory.Decision(
            before: before, after: navigator.state, reasons: navigator.reasons, effects: effects, step: step)
        visits.begin(decision, cause: cause, page: visibleSession.flatMap(page))
        binaryFindings.reportMissingFragment(navigator, page: sessions[.main].flatMap(page))
        return effects
    }

    private func visit(_ order: VisitOrder, _ options: VisitOptions) {
        guard let id = order.screen else { return }
        if order.stack == .modal { tabs.beginModal() }
        let session = tabs.session(of: order.stack)
        // A response that came with the proposal belongs to the proposed URL, and not to a screen that is refreshed.
        var own = order.kind == .visit && order.keepsOptions ? options : VisitOptions()
        own.action = order.action
        // Android and turbo-ios refresh by loading the page again, and Hotwire Native on iOS by a visit of Turbo.
        let framework = configuration.framework
        let reloads = order.kind == .refresh && (framework.platform == .android || framework.reloadsLastVisited)
        // Beneath a native screen, the session loads the screen again that it visited last.
        if reloads, navigation[order.stack].last?.isWeb == false { return session?.reload() ?? () }
        let screen = screens.screen(id, order.url)
        if let redirected = redirectedLoad, redirected.url == order.url, redirected.session === session {
            redirectedLoad = nil
            return redirected.session.adopt(screen)
        }
        session?.visit(screen, options: own, reload: reloads)
    }

    private func discardScreens() {
        screens.discardUnused()
        if !navigation.isModalPresented { tabs.endModal() }
    }

    // MARK: The app's start

    /// Handles a document that the browser loaded without being asked. On the app's host it becomes a screen. The app
    /// starts at the first document, and starts again at a document on another host.
    func follow(_ url: URL) {
        lastProposal = url
        let isStart = tabs.navigator?.decideRoute(url) != .navigate
        if isStart { start(at: url) }
        let cause = isStart ? "the app starts at \(url)" : "the browser goes to \(url) by itself"
        _ = decide(cause) { isStart ? $0.launch() : $0.route(url) }
        defer { visits.endDecision() }
        tabs.navigator?.state.removeOldest(keeping: NavigationState.maximumScreens)
        discardScreens()
        defer { screens.updateDestinations() }
        guard let screen = visibleScreen, screen.isWeb, screen.url == url else {
            return screens.visibleScreenDidAppear()
        }
        // The page is in main's web view. A modal that has one of its own is covered by what the browser shows there.
        if visibleSession !== sessions[.main] { tabs.endModal() }
        visibleSession?.adopt(screens.screen(screen.id, screen.url))
        screens.visibleScreenDidAppear()
        if isStart { loadOtherTabs() }
    }

    /// Starts the tabs that are not selected, unless they load lazily.
    private func loadOtherTabs() {
        guard !configuration.lazyLoadTabs, tabs.drivenPage != nil else { return }
        for (index, tab) in configuration.tabs.enumerated() where tabs.navigators[index] == nil {
            tabs.prepare(index)
            _ = tabs.work(on: index) { navigate("the tab \(tab.title) starts with the app") { $0.launch() } }
        }
    }

    /// Leaves the screen that needs a sign-in, and routes to the page for it. Does nothing if the app has no such page, or
    /// shows it already.
    private func routeToSignIn() {
        guard let path = configuration.signInPath,
            let url = URL(string: path.relativeString, relativeTo: baseURL ?? tabs.navigator?.startLocation)?
                .absoluteURL,
            visibleScreen?.url != url
        else { return }
        lastProposal = url
        navigate("the server wants a sign-in") { [framework = configuration.framework] navigator in
            // turbo-ios' demo app pops nothing.
            let popped = framework.navigator == .turboDemo ? [] : navigator.pop(animated: false)
            return popped + navigator.route(url)
        }
    }

    /// Replaces the screen whose renderer has gone with a new one, which gets a new session; see
    /// `HotwireWebFragmentDelegate.kt`, `onRenderProcessGone`. The screens beneath are restored without their
    /// identifiers, which the old session had.
    func replaceScreen(of session: Session) {
        guard session === visibleSession, let screen = visibleScreen, screen.isWeb else {
            return session.reload()
        }
        lastProposal = screen.url
        navigate("the renderer of \(screen.url) has gone", VisitOptions(action: .replace)) {
            $0.route(screen.url, action: .replace)
        }
    }
}

/// Handles what the sessions report.
extension EmulatedApp: SessionDelegate {
    // MARK: Proposals

    public func session(_ session: Session, didProposeVisitTo url: URL, options: VisitOptions) throws {
        try tabs.work(for: session) {
            if let verdict = navigation.excess(of: url) { throw DroppedMessage(verdict) }
            // The history of visits stores the closure, which therefore must not retain the response of a form.
            let (action, redirected) = (options.action, options.response?.redirected ?? false)
            lastProposal = url
            navigate("the page proposes \(action.rawValue) \(url)", options) {
                $0.visitProposed(url, action: action, redirected: redirected)
            }
            if let verdict = tabs.navigator?.refusal(of: url) { throw DroppedMessage(verdict) }
        }
    }

    public func session(_ session: Session, didProposeVisitToCrossOriginRedirect url: URL) {
        tabs.work(for: session) {
            guard !refusesExcess(of: url, session) else { return }
            lastProposal = url
            visits.addRedirect(to: url)
            navigate("the visit was redirected to \(url.originText), another origin") {
                $0.crossOriginRedirect(to: url)
            }
        }
    }

    public func session(_ session: Session, didRedirectColdBootTo url: URL, isLoading: Bool) {
        tabs.work(for: session) { followColdBootRedirect(of: session, to: url, isLoading: isLoading) }
    }

    private func followColdBootRedirect(of session: Session, to url: URL, isLoading: Bool) {
        guard !refusesExcess(of: url, session) else { return session.invalidate() }
        lastProposal = url
        guard configuration.framework.platform == .android else {
            visits.addRedirect(to: url)
            navigate("the load was redirected to \(url.originText), another host") {
                $0.visitProposed(url, action: .advance, redirected: false)
            }
            return
        }
        if isLoading { redirectedLoad = (session, url) }
        navigate("the load was redirected to \(url)") { $0.visitProposed(url, action: .replace, redirected: false) }
        // No screen has adopted the load, because its URL is not for a web screen of this web view.
        if redirectedLoad != nil { session.invalidate() }
        redirectedLoad = nil
    }

    public func session(_ session: Session, didCancelLinkTo url: URL) {
        let scheme = url.scheme?.lowercased() ?? ""
        let text =
            WebViewPolicyHandler.invalidSchemes.contains(scheme)
            ? "The app opens no \(scheme): links." : "A policy handler of the app cancels the link to \(url)."
        record("linkCancelled", [.init("text", .string(text))], session)
    }

    public func session(_ session: Session, didCancelWindowFor url: URL) {
        let text = "A page wants a window for \(url). \(configuration.framework.name) opens none."
        record("linkCancelled", [.init("text", .string(text))], session)
    }

    public func session(_ session: Session, didFollowLinkTo url: URL) {
        tabs.work(for: session) {
            guard !refusesExcess(of: url, session) else { return }
            lastProposal = url
            let link = configuration.framework.destination(ofLink: url, startLocation: tabs.navigator?.startLocation)
            navigate("the user follows a link to \(url)") { navigator in
                link.map { navigator.open(url, via: $0) }
                    ?? navigator.visitProposed(url, action: .advance, redirected: false)
            }
        }
    }

    /// Reloads the sessions of the session's tab, as `Navigator.reload` does.
    public func sessionDidRequestReload(_ session: Session) {
        // A page that reloads itself while it loads belongs to the action before.
        if session.isVisiting, !session.hasLoadedDocument {
            visits.add("the page is reloaded")
        } else {
            visits.beginChain("the page is reloaded")
        }
        tabs.work(for: session) {
            for stack in NavigationStack.allCases where stack == .main || tabs.modalSession === sessions[.modal] {
                sessions[stack]?.reload()
            }
        }
    }

    public func sessionDidStartUnaskedLoad(_ session: Session) {
        // Ignores the empty document that a web view shows at first, which the daemon serves.
        guard session === sessions[.main], let url = session.webView.url, ["http", "https"].contains(url.scheme) else {
            return
        }
        follow(url)
    }

    /// Reports a navigation beyond these limits that a page causes without a proposal.
    /// - Returns: whether the navigation is beyond the limits.
    private func refusesExcess(of url: URL, _ session: Session) -> Bool {
        guard let verdict = navigation.excess(of: url) else { return false }
        server.traffic.problem(
            .proposalRefused,
            "A link or a redirect was not followed: expected \(verdict.expected ?? ""), found \(verdict.found ?? "").",
            hint: verdict.hint ?? "", page: page(of: session))
        return true
    }

    // MARK: Visits

    public func session(
        _ session: Session, willStartVisitOf visitable: any Visitable, kind: String, options: VisitOptions
    ) {
        ActionResult.current?.beginsVisit = true
        let screen = visitable as? WebScreen
        screen?.error = nil
        screen?.errorState = nil
        visits.beginVisit(
            of: visitable.currentVisitableURL, kind: kind, options, in: session.webView.bridgedName,
            page: page(of: session))
    }

    public func session(_ session: Session, didStartRequestOf visitable: any Visitable, action: VisitAction) {
        guard action == .restore else { return }
        let url = visitable.currentVisitableURL
        visits.request(url, "a request for \(url)", page: page(of: session))
    }

    public func sessionDidLoadWebView(_ session: Session) { visits.webViewHasTurbo() }

    /// Ends the chain of the action here already, because the visit of a page without Turbo does not complete.
    public func sessionDidLoadDocument(_ session: Session) { visits.endChain() }

    public func session(_ session: Session, didFinishRequestOf visitable: any Visitable) {}
    public func session(_ session: Session, didRender visitable: any Visitable) {}

    public func session(_ session: Session, didCompleteVisitOf visitable: any Visitable) {
        let page = page(of: session)
        if let screen = visitable as? WebScreen { tabs.updateScreen(screen.id) { $0.title = page?.title ?? nil } }
        visits.endVisit(of: visitable.currentVisitableURL, in: session.webView.bridgedName, page: page)
    }

    public func session(_ session: Session, didFailRequestFor visitable: any Visitable, error: TurboError) {
        let state = configuration.framework.hasHotwireNativeErrors ? session.hotwireNativeError(error).json : error.json
        // On Android, the app shows no error over a snapshot.
        if session.current?.visit.showsSnapshot != true, let screen = visitable as? WebScreen {
            (screen.error, screen.errorState) = (error, state)
        }
        let url = visitable.currentVisitableURL
        visits.endVisit(of: url, error: state, in: session.webView.bridgedName, page: page(of: session))
        guard error == .http(statusCode: 401) else { return }
        signInForm.show(for: url.absoluteString, session)
        tabs.work(for: session) { routeToSignIn() }
    }

    public func session(_ session: Session, didStartFormSubmissionTo url: URL?) { visits.add("a form is submitted") }

    /// Clears main's snapshots if a form in the modal was submitted, because they may show what the form has changed.
    public func session(_ session: Session, didFinishFormSubmissionTo url: URL?) {
        let sessions = tabs.work(for: session) { self.sessions }
        guard session === sessions[.modal], let main = sessions[.main] else { return }
        if configuration.framework.clearsSnapshotsAtOnce {
            main.clearSnapshotCache()
        } else {
            main.markSnapshotCacheAsStale()
        }
    }

    public func session(_ session: Session, willRepeatRequestBecause cause: RepeatedRequest) {
        visits.expectRepetition(in: session.webView.bridgedName, because: cause)
    }

    public func session(_ session: Session, didMeet problem: VisitProblem) {
        visits.report(problem, in: session.webView.bridgedName, page: page(of: session))
    }

    /// On Android a session has the identifiers by which pages are restored, and forgets them; see `Session.kt`, `reset`.
    public func sessionDidReset(_ session: Session) {
        guard configuration.framework.platform == .android else { return }
        tabs.work(for: session) {
            for screen in navigation.main + navigation.modal { screens[screen.id]?.restorationIdentifier = nil }
        }
    }

    /// Loads the page again, unless no screen owns the web view. If the app is in the background, it does so when it comes
    /// back; see `Navigator.swift`, `reloadIfPermitted`.
    public func sessionWebViewProcessDidTerminate(_ session: Session) {
        record("webContentProcessTerminated", [], session)
        guard page(of: session) != nil, screens.isAttached(session.currentVisitable, to: session) else { return }
        restoreInForeground(session)
    }
}
