import BridgeInput
public import BridgeProtocol
import BridgeServer
public import Foundation
import PathConfiguration

/// Handles what the sessions report.
extension EmulatedApp: SessionDelegate {
    // MARK: Proposals

    public func session(_ session: Session, didProposeVisitTo url: URL, options: VisitOptions) throws {
        try inTab(tab(of: session)) {
            if let verdict = excess(of: url) { throw DroppedMessage(verdict) }
            // The history of visits stores the closure, which therefore must not retain the response of a form.
            let (action, redirected) = (options.action, options.response?.redirected ?? false)
            lastProposal = url
            navigate("the page proposes \(action.rawValue) \(url)", options) {
                $0.visitProposed(url, action: action, redirected: redirected)
            }
            if let verdict = refusal(of: url) { throw DroppedMessage(verdict) }
        }
    }

    public func session(_ session: Session, didProposeVisitToCrossOriginRedirect url: URL) {
        inTab(tab(of: session)) {
            guard !refusesExcess(of: url, session) else { return }
            lastProposal = url
            redirects.add(url)
            navigate("the visit was redirected to \(url.originText), another origin") {
                $0.crossOriginRedirect(to: url)
            }
        }
    }

    public func session(_ session: Session, didRedirectColdBootTo url: URL) {
        inTab(tab(of: session)) { followColdBootRedirect(of: session, to: url) }
    }

    private func followColdBootRedirect(of session: Session, to url: URL) {
        guard !refusesExcess(of: url, session) else { return session.invalidate() }
        lastProposal = url
        guard configuration.framework.platform == .android else {
            redirects.add(url)
            navigate("the load was redirected to \(url.originText), another host") {
                $0.visitProposed(url, action: .advance, redirected: false)
            }
            return
        }
        redirectedLoad = (session, url)
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
        inTab(tab(of: session)) {
            guard !refusesExcess(of: url, session) else { return }
            lastProposal = url
            let link = configuration.framework.destination(ofLink: url, startLocation: navigator?.startLocation)
            navigate("the user follows a link to \(url)") { navigator in
                link.map { navigator.open(url, via: $0) }
                    ?? navigator.visitProposed(url, action: .advance, redirected: false)
            }
        }
    }

    /// Reloads the sessions of the session's tab, as `Navigator.reload` does.
    public func sessionDidRequestReload(_ session: Session) {
        inTab(tab(of: session)) {
            for stack in NavigationStack.allCases where stack == .main || modalSession === sessions[.modal] {
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

    /// How many screens a page may put on the stacks, and how long their URLs may be. Each navigation names the screens
    /// in the log, so without limits a page could fill it.
    static let maximumScreens = 500
    private static let maximumURLSize = 16 << 10

    /// The verdict on a proposal beyond these limits; nil if it is within them.
    private func excess(of url: URL) -> Verdict? {
        let size = url.absoluteString.utf8.count
        let count = navigation.main.count + navigation.modal.count
        guard size > EmulatedApp.maximumURLSize || count >= EmulatedApp.maximumScreens else { return nil }
        let isTooLong = size > EmulatedApp.maximumURLSize
        return Verdict(
            .dropped, reason: .proposalRefused,
            expected: isTooLong
                ? "a URL of at most \(EmulatedApp.maximumURLSize) bytes"
                : "at most \(EmulatedApp.maximumScreens) screens",
            found: isTooLong ? "one of \(size) bytes" : "one more", at: "/data/location",
            hint: "Find the script that proposes visits again and again, or such long ones.")
    }

    /// Reports a navigation beyond these limits that a page causes without a proposal.
    /// - Returns: whether the navigation is beyond the limits.
    private func refusesExcess(of url: URL, _ session: Session) -> Bool {
        guard let verdict = excess(of: url) else { return false }
        server.traffic.problem(
            "proposalRefused",
            "A link or a redirect was not followed: expected \(verdict.expected ?? ""), found \(verdict.found ?? "").",
            hint: verdict.hint ?? "", page: page(of: session))
        return true
    }

    /// Explains why a proposal led to no visit; nil if it led to one.
    private func refusal(of url: URL) -> Verdict? {
        guard let navigator else { return nil }
        let properties = configuration.pathConfiguration.properties(for: url)
        if navigator.reasons.contains(where: { $0 == .otherHost || $0 == .opensElsewhere }) {
            return Verdict(
                .dropped, reason: .proposalOutside, expected: "a URL on \(navigator.startLocation.host ?? "its host")",
                found: url.host.map { "one on \($0)" } ?? "\(url)", at: "/data/location",
                hint: "The app opens it in another app. The outbox of app.state has it.")
        }
        let interpreted = configuration.framework.interpret(properties)
        let isSilent = interpreted.presentation == .none && !interpreted.isHistoricalLocation
        if navigator.reasons.contains(.noRoute) {
            return Verdict(
                .dropped, reason: .proposalRefused, expected: "a URL that a route decision handler matches",
                found: "\(url)", at: "/data/location",
                hint:
                    "Add a handler for it, such as \(setting("route-decision-handler", "routeDecisionHandlers", "safari"))."
            )
        }
        if navigator.reasons.contains(.noDestination) {
            return Verdict(
                .dropped, reason: .proposalRefused, expected: "a uri for which a fragment is registered",
                found: navigator.missingFragment?.uri ?? "another one", at: "/data/location",
                hint: "bridged path explain '\(url.path)' shows which rule decides.")
        }
        guard navigator.reasons.contains(.rejected) || isSilent else { return nil }
        return Verdict(
            .dropped, reason: .proposalRefused, expected: "a URL that becomes a screen",
            found: isSilent ? "one whose presentation is none" : "one that the app refuses", at: "/data/location",
            hint: "bridged path explain '\(url.path)' shows which rule decides.")
    }

    // MARK: Visits

    public func session(
        _ session: Session, willStartVisitOf visitable: any Visitable, kind: String, options: VisitOptions
    ) {
        let screen = visitable as? WebScreen
        screen?.error = nil
        screen?.errorState = nil
        let url = visitable.currentVisitableURL
        // A restore visit may need no request, and a visit with a response needs none.
        if options.action == .restore || options.response?.responseHTML != nil {
            chain.add("\(kind) of \(url), \(options.action.rawValue)")
        } else {
            request(url, "\(kind) of \(url), \(options.action.rawValue)", session)
        }
        let number = record(
            "visit",
            [
                .init("location", .string(url.absoluteString)), .init("visit", .string(kind)),
                .init("action", .string(options.action.rawValue)),
            ], session)
        beginVisit(number, session)
        visitHistory.add(
            VisitHistory.Visit(
                record: number, webView: session.webView.bridgedName, url: url, kind: kind, action: options.action,
                hasResponse: options.response?.responseHTML != nil),
            cause: chain.links.dropLast().last ?? "the app loads \(url)")
    }

    public func session(_ session: Session, didStartRequestOf visitable: any Visitable, action: VisitAction) {
        let url = visitable.currentVisitableURL
        if action == .restore { request(url, "a request for \(url)", session) }
    }

    private func request(_ url: URL, _ link: String, _ session: Session) {
        guard let links = chain.request(url, link) else { return }
        server.traffic.problem(
            "doubleVisit",
            redirects.shorten(
                in: "\(url) was requested twice for one action: \(links.joined(separator: " → "))."),
            hint: chain.hint
                ?? "Find the script that visits again, such as a click handler on a link that calls Turbo.visit.",
            page: page(of: session))
    }

    public func sessionDidLoadWebView(_ session: Session) { hasSeenTurbo = true }
    public func session(_ session: Session, didFinishRequestOf visitable: any Visitable) {}
    public func session(_ session: Session, didRender visitable: any Visitable) {}

    public func session(_ session: Session, didCompleteVisitOf visitable: any Visitable) {
        chain.end()
        endVisit(session)
        guard let screen = visitable as? WebScreen else { return }
        let title = page(of: session)?.title
        updateScreen(screen.id) { $0.title = title }
        let number = record(
            "visitCompleted", [.init("location", .string(visitable.currentVisitableURL.absoluteString))], session)
        visitHistory.endVisits(in: session.webView.bridgedName, record: number)
    }

    public func session(_ session: Session, didFailRequestFor visitable: any Visitable, error: TurboError) {
        chain.end()
        endVisit(session)
        let state = configuration.framework.hasHotwireNativeErrors ? session.hotwireNativeError(error).json : error.json
        // On Android, the app shows no error over a snapshot.
        if session.current?.visit.showsSnapshot != true, let screen = visitable as? WebScreen {
            (screen.error, screen.errorState) = (error, state)
        }
        let url = visitable.currentVisitableURL.absoluteString
        let number = record("visitFailed", [.init("location", .string(url)), .init("error", state)], session)
        visitHistory.endVisits(in: session.webView.bridgedName, record: number)
        guard error == .http(statusCode: 401) else { return }
        if configuration.signInURL != nil {
            signIn = SignIn(for: url)
            record("signInNeeded", [.init("location", .string(url))], session)
        }
        inTab(tab(of: session)) { routeToSignIn() }
    }

    public func session(_ session: Session, didStartFormSubmissionTo url: URL?) { chain.add("a form is submitted") }

    /// Clears main's snapshots if a form in the modal was submitted, because they may show what the form has changed.
    public func session(_ session: Session, didFinishFormSubmissionTo url: URL?) {
        let sessions = inTab(tab(of: session)) { self.sessions }
        guard session === sessions[.modal], let main = sessions[.main] else { return }
        if configuration.framework.clearsSnapshotsAtOnce {
            main.clearSnapshotCache()
        } else {
            main.markSnapshotCacheAsStale()
        }
    }

    public func session(_ session: Session, willRepeatRequestBecause cause: RepeatedRequest) {
        chain.add(cause.step, hint: cause.hint)
        visitHistory.expectRepetition(in: session.webView.bridgedName, because: cause)
    }

    public func session(_ session: Session, didMeet problem: VisitProblem) {
        // If no page has had Turbo yet, the web app does not use it. The screen shows the error in any case.
        guard problem != .turboMissing || hasSeenTurbo else { return }
        server.traffic.problem(problem.code, problem.text, hint: problem.hint, page: page(of: session))
    }

    /// Loads the page again, unless no screen owns the web view. If the app is in the background, it does so when it comes
    /// back; see `Navigator.swift`, `reloadIfPermitted`.
    public func sessionWebViewProcessDidTerminate(_ session: Session) {
        record("webContentProcessTerminated", [], session)
        guard page(of: session) != nil, ownsWebView(session.currentVisitable, of: session) else { return }
        guard isInBackground else { return restore(session) }
        if !lostSessions.contains(where: { $0 === session }) { lostSessions.append(session) }
    }

    /// Inspects the sessions of all tabs, and loads those again whose web content process has ended in the background.
    func inspectSessions() {
        let lost = lostSessions
        lostSessions = []
        for session in lost where !session.isVisiting { restore(session) }
    }

    private func restore(_ session: Session) {
        if configuration.framework.platform == .android { replaceScreen(of: session) } else { session.reload() }
    }
}

extension Verdict.Reason {
    /// The proposed URL is on another host, so a browser or another app opens it.
    public static let proposalOutside = Verdict.Reason(rawValue: "proposalOutside")
    /// The rules or the app refuse the proposal.
    public static let proposalRefused = Verdict.Reason(rawValue: "proposalRefused")
}
