import BridgeProtocol
public import Foundation
public import PathConfiguration

/// The navigator of hotwire-native-ios as a state machine: it takes proposals and gestures, and returns effects.
///
/// It is a value type and does no I/O. Its owner carries out the effects.
public struct Navigator: Sendable {
    public let framework: Framework
    public let startLocation: URL
    public internal(set) var state = NavigationState()
    /// The properties of a URL in the path configuration.
    let properties: @Sendable (URL) -> PathProperties
    /// The app's decision on a proposal. It is called for each proposal that stays in the app, even if its presentation
    /// makes no screen.
    let handle: @Sendable (VisitProposal) -> ProposalResult
    /// The handlers that decide where a location opens, in order.
    let routeDecisionHandlers: [RouteDecisionHandler]
    /// The app's build, which says which fragments an app for Android has.
    let binary: Binary
    /// The fragment that the last step missed; nil if none is missing.
    var missingFragment: MissingFragment?
    var effects: [NavigationEffect] = []
    /// The reasons for what the last step did.
    public internal(set) var reasons: [NavigationReason] = []
    /// The URL that each stack's session visited last.
    var lastVisited: [NavigationStack: URL] = [:]

    public init(
        startLocation: URL, framework: Framework = .default,
        properties: @escaping @Sendable (URL) -> PathProperties,
        routeDecisionHandlers: [RouteDecisionHandler] = RouteDecisionHandler.standard,
        binary: Binary = Binary(),
        handle: @escaping @Sendable (VisitProposal) -> ProposalResult = { _ in .accept }
    ) {
        self.framework = framework
        self.startLocation = startLocation
        self.properties = properties
        self.routeDecisionHandlers = routeDecisionHandlers
        self.binary = binary
        self.handle = handle
    }

    // MARK: The app

    /// Routes to the start location, unless there has been a screen already.
    public mutating func start() -> [NavigationEffect] {
        guard !state.hasStarted else { return carryOut { $0.reasons.append(.startedBefore) } }
        // Android's start destination is part of its navigation graph, and turbo-ios' demo app asks no rule about its own.
        return framework.navigator == .hierarchyController ? route(startLocation) : showStartLocation()
    }

    /// Starts as ``start()`` does, and shows the start location if its rule shows nothing on empty stacks, such as
    /// `clear_all`. A phone would show an empty window, which would only hide the mistake here.
    public mutating func launch() -> [NavigationEffect] {
        let effects = start()
        return state.hasStarted ? effects : effects + showStartLocation()
    }

    private mutating func showStartLocation() -> [NavigationEffect] {
        let isDemo = framework.navigator == .turboDemo
        var properties = isDemo ? [:] : properties(startLocation)
        for key in ["presentation", "context", "historical_location"] { properties[key] = nil as JSONValue? }
        let proposal = VisitProposal(
            url: startLocation, action: isDemo ? .replace : .advance, properties: properties)
        return carryOut {
            $0.reasons.append(.startLocation)
            $0.propose(proposal)
        }
    }

    /// Routes to a URL, as the app's own code does.
    public mutating func route(_ url: URL, action: VisitAction = .advance) -> [NavigationEffect] {
        route(VisitProposal(url: url, action: action, properties: properties(url)))
    }

    /// Routes a proposal with its own properties, without asking the path configuration.
    public mutating func route(_ proposal: VisitProposal) -> [NavigationEffect] {
        carryOut { $0.propose(proposal) }
    }

    /// Handles a visit that Turbo in the visible stack's page proposes.
    public mutating func visitProposed(_ url: URL, action: VisitAction, redirected: Bool) -> [NavigationEffect] {
        route(
            VisitProposal(
                url: url, action: action, properties: properties(url), source: .page(redirected: redirected)))
    }

    /// Handles a redirect of the visible session's visit to another origin: pops its screen and routes to the URL.
    public mutating func crossOriginRedirect(to url: URL) -> [NavigationEffect] {
        guard framework.fetchRecovery != .none else { return [] }
        let proposal = VisitProposal(url: url, properties: properties(url))
        return carryOut {
            $0.popScreen(animated: false)
            $0.propose(proposal)
        }
    }

    /// Opens a URL outside the app.
    mutating func open(_ url: URL, via browser: ExternalBrowser) -> [NavigationEffect] {
        carryOut {
            $0.reasons.append(.opensElsewhere)
            $0.effects.append(.open(url, via: browser))
        }
    }

    /// Pops the top screen. Dismisses the modal instead if that is its only screen, and never pops main's root.
    public mutating func pop(animated: Bool = true) -> [NavigationEffect] {
        carryOut { $0.popScreen(animated: animated) }
    }

    /// Dismisses the modal, pops main to its root and refreshes it.
    public mutating func clearAll(animated: Bool = false) -> [NavigationEffect] {
        carryOut {
            guard $0.framework.platform == .ios else { return $0.clearBackStack() }
            $0.apply($0.framework.rule(.clearAll, .default, modal: ModalDepth($0.state)), animated: animated)
        }
    }

    // MARK: The user

    /// Handles a tap on the back button. Does nothing if the visible stack shows its first screen. On Android, it also
    /// leaves a modal.
    public mutating func back() -> [NavigationEffect] {
        carryOut {
            guard $0.framework.platform == .ios else { return $0.popBackStack() }
            $0.popTop(of: $0.state.visibleStack, animated: true)
        }
    }

    /// Handles a swipe back that the user begins and cancels. No stack changes.
    public mutating func cancelBack() -> [NavigationEffect] {
        carryOut {
            let stack = $0.state.visibleStack
            guard $0.state[stack].count > 1 else { return $0.reasons.append(.rootStays) }
            $0.effects.append(.cancelBack(stack))
        }
    }

    /// Handles a tap on the selected tab. Does nothing if main shows its first screen.
    public mutating func popToRoot() -> [NavigationEffect] {
        carryOut { $0.popToRoot(animated: true) }
    }

    /// Handles the swipe that dismisses a modal. Does nothing if no modal is presented or it cannot be swiped away.
    public mutating func dismissModal() -> [NavigationEffect] {
        carryOut { navigator in
            if navigator.state.isDismissible {
                navigator.dismiss(animated: true)
            } else {
                navigator.reasons.append(navigator.state.isModalPresented ? .notDismissible : .noModal)
            }
        }
    }

    // MARK: Pages

    /// Changes a screen, such as its title or its bar buttons. Does nothing if the screen is on no stack.
    public mutating func updateScreen(_ id: Screen.ID, _ change: (inout Screen) -> Void) {
        guard var screen = state[id] else { return }
        change(&screen)
        state[id] = screen
    }

    private mutating func carryOut(_ change: (inout Navigator) -> Void) -> [NavigationEffect] {
        effects = []
        reasons = []
        missingFragment = nil
        change(&self)
        return effects
    }
}

/// Decides on a proposal. The checks are in the order in which they apply.
extension Navigator {
    mutating func propose(_ proposal: VisitProposal) {
        let properties = framework.interpret(proposal.properties)
        // This happens first, even if the proposal then leaves the app or is rejected.
        if proposal.source == .page(redirected: true) { popRedirectedScreen(properties) }
        switch decideRoute(proposal) {
        case .navigate: break
        case .open(let browser):
            reasons.append(proposal.url.host == startLocation.host ? .opensElsewhere : .otherHost)
            return effects.append(.open(proposal.url, via: browser))
        case .cancel: return reasons.append(.noRoute)
        }
        switch handle(proposal) {
        case .reject: reasons.append(.rejected)
        case .alert:
            reasons.append(.alert)
            if framework.navigator == .turboDemo { dismiss(animated: true) }
            effects.append(.presentAlert(over: state.visibleStack))
        case .accept: present(proposal, .web, properties)
        case .acceptCustom(let name):
            reasons.append(.nativeScreen)
            present(proposal, .native(name), properties)
        }
    }

    /// Removes the screen whose visit was redirected before it showed anything.
    private mutating func popRedirectedScreen(_ properties: InterpretedProperties) {
        switch framework.redirectPop {
        case .never: return
        case .always:
            reasons.append(.redirected)
            popScreen(animated: state.isModalPresented && properties.context == .default)
        case .betweenStacks:
            guard state.isModalPresented != (properties.context == .modal) else { return }
            reasons.append(.redirected)
            if state.isModalPresented { dismiss(animated: true) } else { popScreen(animated: false) }
        }
    }

    /// Returns what the first matching handler decides, and `cancel` if there is none; see `Router.swift`.
    private func decideRoute(_ proposal: VisitProposal) -> RouteDecisionHandler.Decision {
        if proposal.source == .native, !framework.checksNativeHosts { return .navigate }
        return routeDecisionHandlers.first { $0.matches(proposal, startLocation) }?.decision ?? .cancel
    }

    /// Returns what the app decides on a location that a page's link leads to.
    func decideRoute(_ location: URL) -> RouteDecisionHandler.Decision {
        decideRoute(
            VisitProposal(url: location, properties: properties(location), source: .page(redirected: false)))
    }

    private mutating func present(_ proposal: VisitProposal, _ kind: Screen.Kind, _ properties: InterpretedProperties) {
        var properties = properties
        switch framework.navigator {
        case .android: return routeOnAndroid(proposal, kind, properties)
        case .turboDemo where proposal.url.path == "/" && !state.main.isEmpty:
            reasons.append(.home)
            properties.presentation = .refresh
        case .turboDemo, .hierarchyController: break
        }
        let isHistorical = properties.isHistoricalLocation && framework.knowsHistoricalLocations
        if isHistorical {
            reasons.append(.historicalLocation)
            dismiss(animated: properties.animated)
        }
        let rule = framework.rule(
            properties.presentation, properties.context, modal: ModalDepth(state), isHistorical: isHistorical)
        apply(rule, to: proposal, kind, properties)
    }
}

/// Applies rules to the stacks.
extension Navigator {
    /// Applies a rule that makes no screen.
    mutating func apply(_ rule: NavigationRule, animated: Bool) {
        if rule.dismisses { dismiss(animated: animated) }
        switch rule.change {
        case .pop(let stack): popTop(of: stack, animated: animated)
        case .popToRoot: popToRoot(animated: animated)
        case .nothing, .place, .replaceTop, .present, .replaceRoot: break
        }
        if case .revealed(let stack) = rule.visit { refresh(stack) }
    }

    /// Applies a rule with the proposal's new screen.
    mutating func apply(
        _ rule: NavigationRule, to proposal: VisitProposal, _ kind: Screen.Kind, _ properties: InterpretedProperties
    ) {
        guard let stack = rule.stackOfNewScreen else { return apply(rule, animated: properties.animated) }
        let screen = makeScreen(proposal, kind, properties)
        let order = VisitOrder(
            stack: stack, url: proposal.url, action: rule.visit == .newRoot ? .replace : proposal.action, kind: .visit,
            screen: screen.id)
        if framework.visitsFirst { visit(order, kind) }
        let leavesModal = rule.dismisses && state.isModalPresented
        if rule.dismisses { dismiss(animated: properties.animated) }
        switch rule.change {
        case .place: place(screen, on: stack, proposal, properties, afterModal: leavesModal)
        case .replaceTop: replaceTop(of: stack, with: screen)
        case .present: present(screen, properties)
        case .replaceRoot: setMain([screen], animated: properties.animated)
        case .nothing, .pop, .popToRoot: break
        }
        if !framework.visitsFirst { visit(order, kind) }
    }

    /// Places a screen: replaces the top screen if that is the same place, pops if the screen below is, and otherwise
    /// pushes or replaces the top screen.
    private mutating func place(
        _ screen: Screen, on stack: NavigationStack, _ proposal: VisitProposal, _ properties: InterpretedProperties,
        afterModal: Bool
    ) {
        let screens = state[stack]
        func isSamePlace(_ other: Screen?) -> Bool {
            framework.isSamePlace(other, proposal, screen.kind, properties.queryStringPresentation)
        }
        if isSamePlace(screens.last) {
            reasons.append(.samePlace)
            replaceTop(of: stack, with: screen)
        } else if isSamePlace(screens.dropLast().last) {
            // The screen below becomes the top, and the new screen is discarded.
            reasons.append(.previousPlace)
            popTop(of: stack, animated: properties.animated)
        } else if framework.pushes(proposal.action) || (afterModal && framework.pushesAfterModal) {
            reasons.append(framework.pushes(proposal.action) ? .advances : .leftModal)
            set(stack, screens + [screen], .push, animated: properties.animated)
        } else {
            reasons.append(.keepsHeight)
            replaceTop(of: stack, with: screen)
        }
    }

    // MARK: Operations

    private mutating func present(_ screen: Screen, _ properties: InterpretedProperties) {
        state.modalStyle = properties.modalStyle
        // `replace` sets the contents without animation. The presentation itself is animated as asked.
        set(.modal, [screen], .set, animated: properties.animated && properties.presentation != .replace)
        record(.present, .main, animated: properties.animated)
    }

    private mutating func replaceTop(of stack: NavigationStack, with screen: Screen) {
        set(stack, state[stack].dropLast() + [screen], .set, animated: false)
    }

    private mutating func setMain(_ screens: [Screen], animated: Bool) { set(.main, screens, .set, animated: animated) }

    private mutating func popScreen(animated: Bool) {
        guard framework.platform == .ios else { return popBackStack() }
        apply(framework.rule(.pop, .default, modal: ModalDepth(state)), animated: animated)
    }

    mutating func popTop(of stack: NavigationStack, animated: Bool) {
        guard state[stack].count > 1 else { return reasons.append(.rootStays) }
        set(stack, state[stack].dropLast(), .pop, animated: animated)
    }

    mutating func popToRoot(animated: Bool) {
        guard state.main.count > 1 else { return }
        set(.main, state.main.prefix(1), .popToRoot, animated: animated)
    }

    mutating func dismiss(animated: Bool) {
        guard state.isModalPresented else { return }
        state.modal = []
        state.modalStyle = .large
        record(.dismiss, .main, animated: animated)
    }

    mutating func set(
        _ stack: NavigationStack, _ screens: some Sequence<Screen>, _ operation: StackTransition.Operation,
        animated: Bool
    ) {
        switch stack {
        case .main: state.main = Array(screens)
        case .modal: state.modal = Array(screens)
        }
        state.hasStarted = true
        record(operation, stack, animated: animated)
    }

    mutating func record(
        _ operation: StackTransition.Operation, _ stack: NavigationStack, animated: Bool
    ) {
        effects.append(.transition(StackTransition(operation: operation, stack: stack, animated: animated)))
    }

    // MARK: Screens and visits

    mutating func makeScreen(
        _ proposal: VisitProposal, _ kind: Screen.Kind, _ properties: InterpretedProperties
    ) -> Screen {
        state.screensMade += 1
        // Only Android reads a title; see `HotwireFragment.onViewCreated`. The page's own title replaces it later.
        return Screen(
            id: state.screensMade, url: proposal.url, kind: kind, title: properties.title,
            dismissGestureEnabled: properties.modalDismissGestureEnabled,
            isBottomSheet: properties.uri == InterpretedProperties.bottomSheet)
    }

    /// Adds the effect of a visit, unless the screen is native.
    mutating func visit(_ order: VisitOrder, _ kind: Screen.Kind) {
        guard kind == .web else { return }
        lastVisited[order.stack] = order.url
        effects.append(.visit(order))
    }

    /// Loads the top screen again. If it is native or the stack is empty, loads the URL that the session visited last,
    /// or nothing if the rules do not reload that URL.
    mutating func refresh(_ stack: NavigationStack) {
        let top = state[stack].last.flatMap { $0.isWeb ? $0.url : nil }
        guard let url = top ?? (framework.reloadsLastVisited ? lastVisited[stack] : nil) else { return }
        visit(
            VisitOrder(
                stack: stack, url: url, action: framework.refreshAction, kind: .refresh, screen: state[stack].last?.id),
            .web)
    }
}

extension NavigationRule {
    /// The stack that gets the new screen; nil for a rule that makes no screen.
    fileprivate var stackOfNewScreen: NavigationStack? {
        switch change {
        case .place(let stack), .replaceTop(let stack): stack
        case .present: .modal
        case .replaceRoot: .main
        case .nothing, .pop, .popToRoot: nil
        }
    }
}

extension Navigator {
    public mutating func perform(_ step: NavigationStep) -> [NavigationEffect] {
        switch step {
        case .visit(let url, let action, let redirected): visitProposed(url, action: action, redirected: redirected)
        case .route(let url, let action, nil): route(url, action: action)
        case .route(let url, let action, let properties?):
            route(VisitProposal(url: url, action: action, properties: properties))
        case .crossOriginRedirect(let url): crossOriginRedirect(to: url)
        case .pop: pop()
        case .clearAll: clearAll()
        case .start: start()
        case .back: back()
        case .dismissModal: dismissModal()
        }
    }
}
