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
