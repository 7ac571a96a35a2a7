import BridgeProtocol
import BridgeServer
import BridgeWebKit
public import Foundation

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
        defer { visitHistory.endDecision() }
        for effect in effects {
            switch effect {
            case .visit(let order): visit(order, options)
            // The navigator has changed the stacks already. There is no view to move.
            case .transition: break
            case .open(let url, let browser):
                outbox = outbox.suffix(EmulatedApp.maximumWaiting - 1) + [ExternalURL(url: url, browser: browser)]
            case .presentAlert(let stack): presentAlert(over: stack)
            case .cancelBack(let stack): cancelBack(on: stack)
            }
        }
        discardScreens()
        visibleScreenDidAppear()
        updateDestinations()
        if !allSessions.contains(where: \.isVisiting) { chain.end() }
        return effects
    }

    /// The greatest number of URLs in the outbox, and of alerts. The oldest ones are dropped first.
    private static let maximumWaiting = 100
    /// How many screens of each stack a record names, from the top.
    private static let maximumNamed = 50

    private func decide(
        _ cause: String, _ step: @escaping (inout Navigator) -> [NavigationEffect]
    ) -> [NavigationEffect] {
        guard var navigator else { return [] }
        // All tabs share one count, so that the ids of screens are unique.
        navigator.state.screensMade = navigators.compactMap { $0?.state.screensMade }.max() ?? 0
        let before = navigator
        let effects = step(&navigator)
        self.navigator = navigator
        chain.add(cause)
        ActionResult.current?.why = navigator.reasons.map(\.text)
        let decision = VisitHistory.Decision(
            before: before, after: navigator.state, reasons: navigator.reasons, effects: effects, step: step)
        visitHistory.begin(decision, cause: cause, record: recordNavigation(cause, effects))
        binaryFindings.reportMissingFragment(navigator, page: sessions[.main].flatMap(page))
        return effects
    }

    private func visit(_ order: VisitOrder, _ options: VisitOptions) {
        guard let id = order.screen else { return }
        if order.stack == .modal, modalSession == nil {
            modalSession = sessionForModal()
        }
        // A response that came with the proposal belongs to the proposed URL, and not to a screen that is refreshed.
        var own = order.kind == .visit ? options : VisitOptions()
        own.action = order.action
        // Android and turbo-ios refresh by loading the page again, and Hotwire Native on iOS by a visit of Turbo.
        let framework = configuration.framework
        let reloads = order.kind == .refresh && (framework.platform == .android || framework.reloadsLastVisited)
        // Beneath a native screen, the session loads the screen again that it visited last.
        if reloads, navigation[order.stack].last?.isWeb == false { return session(of: order.stack)?.reload() ?? () }
        if let redirected = redirectedLoad, redirected.url == order.url, redirected.session === session(of: order.stack)
        {
            redirectedLoad = nil
            return redirected.session.adopt(webScreen(id, order.url))
        }
        session(of: order.stack)?.visit(webScreen(id, order.url), options: own, reload: reloads)
    }

    private func webScreen(_ id: Screen.ID, _ url: URL) -> WebScreen {
        if let screen = screens[id] { return screen }
        let screen = WebScreen(id, url, of: self)
        screens[id] = screen
        return screen
    }

    private func discardScreens() {
        let ids = Set(navigators.flatMap { $0?.state.ids ?? [] })
        screens = screens.filter { ids.contains($0.key) }
        guard !navigation.isModalPresented else { return }
        // If both stacks share a session, Turbo itself caches the snapshot when main's screen takes over.
        if modalSession !== sessions[.main] { modalSession?.visitableDidDisappear() }
        modalSession = nil
    }

    /// Tells the visible screen's session that its screen appeared.
    private func visibleScreenDidAppear() {
        if hidesMain(navigation), modalSession !== sessions[.main] { sessions[.main]?.visitableDidDisappear() }
        guard let screen = visibleScreen, let session = session(of: navigation.visibleStack) else { return }
        guard screen.isWeb else {
            let covered = session.topmostVisitable as? WebScreen
            if navigation[navigation.visibleStack].contains(where: { $0.id == covered?.id }) {
                session.visitableDidDisappear()
            }
            return
        }
        let web = webScreen(screen.id, screen.url)
        session.visitableDidAppear(web, wasInSight: appearedScreens.contains { $0 === web })
    }

    /// Whether main's top screen disappears beneath the modal. On iOS only a full-screen modal removes the view of the
    /// screen beneath it: on an iPhone, all other styles are sheets. On Android, each modal screen removes it, unless
    /// it is a bottom sheet.
    func hidesMain(_ state: NavigationState) -> Bool {
        guard let top = state.modal.last else { return false }
        return configuration.framework.platform == .android ? !top.isBottomSheet : state.modalStyle == .full
    }

    /// Lets the two topmost screens of a stack appear and disappear as UIKit does when the user begins to swipe back
    /// and lets go.
    private func cancelBack(on stack: NavigationStack) {
        guard let top = navigation[stack].last, let beneath = navigation[stack].dropLast().last else { return }
        let (covering, covered) = (webScreen(of: top), webScreen(of: beneath))
        covering?.bridgeDelegate.onViewWillDisappear()
        covered?.bridgeDelegate.onViewWillAppear()
        covered?.bridgeDelegate.onViewWillDisappear()
        covered?.bridgeDelegate.onViewDidDisappear()
        covering?.bridgeDelegate.onViewWillAppear()
        session(of: stack)?.visitableDidCancelBack(from: covering, to: covered)
        covering?.bridgeDelegate.onViewDidAppear()
    }

    private func webScreen(of screen: Screen) -> WebScreen? { screen.isWeb ? webScreen(screen.id, screen.url) : nil }

    private func presentAlert(over stack: NavigationStack) {
        guard let proposal = lastProposal else { return }
        let title: String? = configuration.pathConfiguration.properties(for: proposal)["title"]
        let alert = Alert(url: proposal, title: title ?? proposal.path, stack: stack)
        alerts = alerts.suffix(EmulatedApp.maximumWaiting - 1) + [alert]
    }

    // MARK: The app's start

    /// Handles a document that the browser loaded without being asked. On the app's host it becomes a screen. The app
    /// starts at the first document, and starts again at a document on another host.
    func follow(_ url: URL) {
        lastProposal = url
        let isStart = navigator?.decideRoute(url) != .navigate
        if isStart { makeNavigator(startingAt: url) }
        let cause = isStart ? "the app starts at \(url)" : "the browser goes to \(url) by itself"
        _ = decide(cause) { isStart ? $0.launch() : $0.route(url) }
        defer { visitHistory.endDecision() }
        navigator?.state.removeOldest(keeping: EmulatedApp.maximumScreens)
        discardScreens()
        defer { updateDestinations() }
        guard let screen = visibleScreen, screen.isWeb, screen.url == url else { return visibleScreenDidAppear() }
        let session = session(of: navigation.visibleStack)
        session?.adopt(webScreen(screen.id, screen.url))
        visibleScreenDidAppear()
        if isStart { loadOtherTabs() }
    }

    /// The URL that the app's paths are resolved against.
    var baseURL: URL? {
        configuration.rootURL
            ?? navigator.map(\.startLocation).flatMap { server.isOfApp($0.absoluteString) ? $0 : nil }
    }

    /// Discards what the app did until its first page attached: another page, such as the demo, caused it.
    func endEarlyStart(at page: Page) {
        guard hasStartedEarly, server.hasAppOrigin, page.frame.isMainFrame,
            NavigationStack(rawValue: page.webView) != nil
        else { return }
        for session in allSessions { session.webView.stopLoading() }
        reset()
    }

    /// Discards the app's state and prepares the app to start at that URL.
    func makeNavigator(startingAt url: URL) {
        reset()
        selectedTab = tab(at: url) ?? 0
        startTab = selectedTab
        hasStartedEarly = !server.hasAppOrigin
        navigator = configuration.makeNavigator(startLocation: url)
    }

    /// Discards everything that an app loses when it ends. The device's push token stays.
    private func reset() {
        for session in allSessions { session.invalidate() }
        navigators = navigators.map { _ in nil }
        screens = [:]
        modalSessions = [:]
        lostSessions = []
        alerts = []
        outbox = []
        signIn = nil
        accessToken = nil
        hasStartedEarly = false
        chain = ActionChain()
        updateDestinations()
    }

    // MARK: The log

    /// - Returns: the record's number.
    private func recordNavigation(_ cause: String, _ effects: [NavigationEffect]) -> Int {
        let state = navigation
        return record(
            "navigation",
            [
                .init("cause", .string(cause)),
                .init("why", .array((navigator?.reasons ?? []).map { .string($0.text) })),
                .init("effects", .array(effects.map(\.json))),
                .init("main", described(state.main)),
                .init("modal", described(state.modal)),
            ], session(of: state.visibleStack))
    }

    /// The topmost screens of a stack. Long names are cut, because each step repeats them.
    private func described(_ stack: [Screen]) -> JSONValue {
        .array(
            stack.suffix(EmulatedApp.maximumNamed).map { .string(PageText.cut($0.name, to: PageText.repeatedName)) })
    }
}
