public import Foundation
public import PathConfiguration

/// The navigator of hotwire-native-ios as a state machine: it takes proposals and gestures, and returns effects.
///
/// It is a value type and does no I/O. Its owner carries out the effects.
public struct Navigator: Sendable {
    public let rules: NavigationRules
    public let startLocation: URL
    public internal(set) var state = NavigationState()
    /// The properties of a URL in the path configuration.
    let properties: @Sendable (URL) -> PathProperties
    /// The app's decision on a proposal. It is called for each proposal that stays in the app, even if its presentation
    /// makes no screen.
    let handle: @Sendable (VisitProposal) -> ProposalResult
    var effects: [NavigationEffect] = []
    /// Why the last step did what it did.
    public internal(set) var reasons: [NavigationReason] = []
    /// The URL that each stack's session visited last.
    var lastVisited: [NavigationStack: URL] = [:]

    public init(
        startLocation: URL, rules: NavigationRules = .hotwireNative,
        properties: @escaping @Sendable (URL) -> PathProperties,
        handle: @escaping @Sendable (VisitProposal) -> ProposalResult = { _ in .accept }
    ) {
        self.rules = rules
        self.startLocation = startLocation
        self.properties = properties
        self.handle = handle
    }

    // MARK: The app

    /// Routes to the start location, unless there has been a screen already.
    public mutating func start() -> [NavigationEffect] {
        guard state.hasStarted else { return route(startLocation) }
        return carryOut { $0.reasons.append(.startedBefore) }
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
        guard rules.knowsDetails else { return [] }
        let proposal = VisitProposal(url: url, properties: properties(url))
        return carryOut {
            $0.popScreen(animated: false)
            $0.propose(proposal)
        }
    }

    /// Pops the top screen. Dismisses the modal instead if that is its only screen, and never pops main's root.
    public mutating func pop(animated: Bool = true) -> [NavigationEffect] {
        carryOut { $0.popScreen(animated: animated) }
    }

    /// Dismisses the modal, pops main to its root and refreshes it.
    public mutating func clearAll(animated: Bool = false) -> [NavigationEffect] {
        carryOut {
            $0.apply($0.rules.rule(.clearAll, .default, modal: ModalDepth($0.state)), animated: animated)
        }
    }

    // MARK: The user

    /// Handles a tap on the back button. Does nothing if the visible stack shows its first screen.
    public mutating func back() -> [NavigationEffect] {
        carryOut { $0.popTop(of: $0.state.visibleStack, animated: true) }
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
        change(&self)
        return effects
    }
}
