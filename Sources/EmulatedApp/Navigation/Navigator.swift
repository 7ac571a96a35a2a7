public import Foundation
public import PathConfiguration

/// The navigator of hotwire-native-ios as a state machine: proposals and gestures in, a new state and effects out. A
/// value without I/O; whoever owns it carries the effects out.
public struct Navigator: Sendable {
    public let rules: NavigationRules
    public let startLocation: URL
    public internal(set) var state = NavigationState()
    /// What the path configuration says of a URL.
    let properties: @Sendable (URL) -> PathProperties
    /// What the app makes of a proposal. Asked for each that stays in the app, also where its presentation makes no
    /// screen.
    let handle: @Sendable (VisitProposal) -> ProposalResult
    var effects: [NavigationEffect] = []
    /// Why the last step did what it did.
    public internal(set) var reasons: [NavigationReason] = []
    /// What each stack's session visited last.
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

    /// Routes the start location, unless there was a screen already.
    public mutating func start() -> [NavigationEffect] {
        guard state.hasStarted else { return route(startLocation) }
        return carryOut { $0.reasons.append(.startedBefore) }
    }

    /// The app's own code goes to a URL.
    public mutating func route(_ url: URL, action: VisitAction = .advance) -> [NavigationEffect] {
        route(VisitProposal(url: url, action: action, properties: properties(url)))
    }

    /// The app's own code, or a page, goes to a URL with exactly these properties.
    public mutating func route(_ proposal: VisitProposal) -> [NavigationEffect] {
        carryOut { $0.propose(proposal) }
    }

    /// Turbo in the page of the visible stack proposes a visit.
    public mutating func visitProposed(_ url: URL, action: VisitAction, redirected: Bool) -> [NavigationEffect] {
        route(
            VisitProposal(
                url: url, action: action, properties: properties(url), source: .page(redirected: redirected)))
    }

    /// The visible session's visit was redirected to another origin: its screen goes, and the router decides.
    public mutating func crossOriginRedirect(to url: URL) -> [NavigationEffect] {
        guard rules.knowsDetails else { return [] }
        let proposal = VisitProposal(url: url, properties: properties(url))
        return carryOut {
            $0.popScreen(animated: false)
            $0.propose(proposal)
        }
    }

    /// The top screen goes; the modal with its last one; never main's root.
    public mutating func pop(animated: Bool = true) -> [NavigationEffect] {
        carryOut { $0.popScreen(animated: animated) }
    }

    /// The modal goes, and main goes back to its root, which is refreshed.
    public mutating func clearAll(animated: Bool = false) -> [NavigationEffect] {
        carryOut {
            $0.apply($0.rules.rule(.clearAll, .default, modal: ModalDepth($0.state)), animated: animated)
        }
    }

    // MARK: The user

    /// The back button of the visible stack. Nothing where it shows its first screen.
    public mutating func back() -> [NavigationEffect] {
        carryOut { $0.popTop(of: $0.state.visibleStack, animated: true) }
    }

    /// The tab that is selected already is tapped. Nothing where its first screen is on top.
    public mutating func popToRoot() -> [NavigationEffect] {
        carryOut { $0.popToRoot(animated: true) }
    }

    /// The swipe that dismisses a modal. Nothing where none is up, or it can't be swiped.
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

    /// A page names its screen, or puts up bar buttons. Nothing where the screen is gone.
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
