import BridgeProtocol
import BridgeServer
import BridgeWebKit
public import Foundation

/// What the navigator decided, carried out.
extension EmulatedApp {
    /// The app's own code goes to a URL.
    public func route(_ url: URL, action: VisitAction = .advance) {
        navigate("the app goes to \(url)", VisitOptions(action: action)) { $0.route(url, action: action) }
    }

    /// Asks the navigator, and carries its effects out.
    /// - Parameter cause: for the log, and for the chain that a double visit is told with.
    func navigate(
        _ cause: String, _ options: VisitOptions = VisitOptions(), _ step: (inout Navigator) -> [NavigationEffect]
    ) {
        for effect in decide(cause, step) {
            switch effect {
            case .visit(let order): visit(order, options)
            // The stacks are the navigator's; there is no view to move.
            case .transition: break
            case .open(let url, let browser): outbox.append(ExternalURL(url: url, browser: browser))
            case .presentAlert(let stack): presentAlert(over: stack)
            }
        }
        forgetScreens()
        appear()
        updateDestinations()
        if !sessions.values.contains(where: \.isVisiting) { chain.end() }
    }

    private func decide(_ cause: String, _ step: (inout Navigator) -> [NavigationEffect]) -> [NavigationEffect] {
        guard var navigator else { return [] }
        let effects = step(&navigator)
        self.navigator = navigator
        chain.add(cause)
        recordNavigation(cause, effects)
        return effects
    }

    private func visit(_ order: VisitOrder, _ options: VisitOptions) {
        guard let id = order.screen else { return }
        if order.stack == .modal, modalSession == nil {
            modalSession = page(of: NavigationStack.modal.rawValue) == nil ? sessions[.main] : sessions[.modal]
        }
        // What a server answered already belongs to the URL that was proposed, and not to a screen that is refreshed.
        var own = order.kind == .visit ? options : VisitOptions()
        own.action = order.action
        session(of: order.stack)?.visit(webScreen(id, order.url), options: own)
    }

    private func webScreen(_ id: Screen.ID, _ url: URL) -> WebScreen {
        if let known = screens[id] { return known }
        let screen = WebScreen(id, url, of: self)
        screens[id] = screen
        return screen
    }

    private func forgetScreens() {
        screens = screens.filter { id, _ in navigators.contains { $0?.state[id] != nil } }
        if !navigation.isModalPresented { modalSession = nil }
    }

    /// What the user sees now is what its session has to show.
    private func appear() {
        guard let screen = visibleScreen, screen.isWeb, let session = session(of: navigation.visibleStack) else {
            return
        }
        session.visitableDidAppear(webScreen(screen.id, screen.url))
    }

    private func presentAlert(over stack: NavigationStack) {
        guard let proposal = lastProposal else { return }
        let title: String? = configuration.pathConfiguration.properties(for: proposal)["title"]
        alerts.append(Alert(url: proposal, title: title ?? proposal.path, stack: stack))
    }

    // MARK: The app's start

    /// The browser loads a document that nobody asked for. On the app's host it is a screen like any other; the first
    /// one, and one of another host, is where the app starts.
    func follow(_ url: URL) {
        lastProposal = url
        let isStart = navigator?.startLocation.host != url.host
        if isStart { makeNavigator(startingAt: url) }
        let cause = isStart ? "the app starts at \(url)" : "the browser goes to \(url) by itself"
        _ = decide(cause) { isStart ? $0.start() : $0.route(url) }
        forgetScreens()
        defer { updateDestinations() }
        guard let screen = visibleScreen, screen.isWeb, screen.url == url else { return appear() }
        let session = session(of: navigation.visibleStack)
        session?.adopt(webScreen(screen.id, screen.url))
        appear()
    }

    /// What paths of the app's own are resolved against.
    var baseURL: URL? { configuration.rootURL ?? navigator?.startLocation }

    /// The app is to start at that URL; what was before is forgotten.
    func makeNavigator(startingAt url: URL) {
        forgetEverything()
        selectedTab = tab(at: url) ?? 0
        navigator = configuration.makeNavigator(startLocation: url)
    }

    /// As when the app is ended. The device's token stays.
    private func forgetEverything() {
        for session in sessions.values { session.invalidate() }
        navigators = navigators.map { _ in nil }
        screens = [:]
        modalSession = nil
        alerts = []
        outbox = []
        signIn = nil
        accessToken = nil
        chain = ActionChain()
        updateDestinations()
    }

    // MARK: The log

    private func recordNavigation(_ cause: String, _ effects: [NavigationEffect]) {
        let state = navigation
        record(
            "navigation",
            [
                .init("cause", .string(cause)),
                .init("why", .array((navigator?.reasons ?? []).map { .string($0.text) })),
                .init("effects", .array(effects.map(\.json))),
                .init("main", .array(state.main.map { .string($0.name) })),
                .init("modal", .array(state.modal.map { .string($0.name) })),
            ], session(of: state.visibleStack))
    }
}
