public import PathConfiguration

/// The number of screens in the modal when a proposal comes.
public enum ModalDepth: String, Sendable, CaseIterable {
    case none = "none"
    case one = "1 screen"
    case several = "2 or more"

    init(_ state: NavigationState) {
        switch state.modal.count {
        case 0: self = .none
        case 1: self = .one
        default: self = .several
        }
    }
}

/// An entry of the table: whether the modal is dismissed, how a stack changes, and what is visited.
public struct NavigationRule: Sendable, Equatable {
    enum Change: Sendable, Equatable {
        case nothing
        /// Replaces the top screen, pops to the one below or pushes, depending on where the URL is shown already. See
        /// `Navigator.place`.
        case place(NavigationStack)
        case replaceTop(NavigationStack)
        case present
        /// Pops the top screen, but never the root.
        case pop(NavigationStack)
        case popToRoot
        case replaceRoot
    }

    enum Visit: Sendable, Equatable {
        case none
        case newScreen
        /// The new screen of `replaceRoot`, always with the action `replace`.
        case newRoot
        /// The screen that is on top after the change.
        case revealed(NavigationStack)
    }

    var dismisses = false
    var change: Change
    var visit: Visit

    static let nothing = NavigationRule(change: .nothing, visit: .none)

    static func place(on stack: NavigationStack) -> NavigationRule {
        NavigationRule(change: .place(stack), visit: .newScreen)
    }

    static func replaceTop(of stack: NavigationStack) -> NavigationRule {
        NavigationRule(change: .replaceTop(stack), visit: .newScreen)
    }

    static let present = NavigationRule(change: .present, visit: .newScreen)

    static func pop(_ stack: NavigationStack) -> NavigationRule { NavigationRule(change: .pop(stack), visit: .none) }

    /// Returns a copy of the rule that first dismisses the modal, if one is presented.
    fileprivate static func dismissing(_ rule: NavigationRule) -> NavigationRule {
        var rule = rule
        rule.dismisses = true
        return rule
    }

    static func refreshing(_ stack: NavigationStack, after change: Change) -> NavigationRule {
        NavigationRule(change: change, visit: .revealed(stack))
    }
}

extension Framework {
    /// Looks up the rule for a proposal in the table. For a historical location, the navigator has already dismissed
    /// the modal.
    public func rule(
        _ presentation: Presentation, _ context: PresentationContext, modal: ModalDepth, isHistorical: Bool = false
    ) -> NavigationRule {
        // In turbo-ios' demo app, only the user and the app's own code pop and clear screens, which works as in other
        // navigators.
        if navigator == .turboDemo, presentation != .pop, presentation != .clearAll {
            return ruleOfTurboDemo(presentation, context)
        }
        return switch (presentation, context, modal) {
        case (.default, .default, .none), (.push, .default, .none): .place(on: .main)
        case (.default, .default, _), (.push, .default, _): .dismissing(.place(on: .main))
        case (.default, .modal, .none), (.push, .modal, .none): .present
        case (.default, .modal, _), (.push, .modal, _): .place(on: .modal)

        case (.replace, .default, _): .dismissing(.replaceTop(of: .main))
        case (.replace, .modal, .none): .present
        case (.replace, .modal, _): .replaceTop(of: .modal)

        case (.pop, _, .none): .pop(.main)
        case (.pop, _, .one): .dismissing(.nothing)
        case (.pop, _, .several): .pop(.modal)

        case (.refresh, _, .none):
            .refreshing(.main, after: isHistorical ? .nothing : .pop(.main))
        case (.refresh, _, .one): .dismissing(.refreshing(.main, after: .nothing))
        case (.refresh, _, .several): .refreshing(.modal, after: .pop(.modal))

        case (.clearAll, _, _): .dismissing(.refreshing(.main, after: .popToRoot))
        case (.replaceRoot, _, _): .dismissing(NavigationRule(change: .replaceRoot, visit: .newRoot))
        case (.none, _, _): .nothing
        }
    }

    /// The rule of `TurboNavigationController` in turbo-ios' demo app, which dismisses a modal before everything else.
    private func ruleOfTurboDemo(_ presentation: Presentation, _ context: PresentationContext) -> NavigationRule {
        switch (presentation, context) {
        case (.refresh, _): .dismissing(.refreshing(.main, after: .pop(.main)))
        case (_, .modal): .dismissing(.present)
        case (_, .default): .dismissing(.place(on: .main))
        }
    }
}

extension Framework {
    /// Whether a screen already shows a proposal's place.
    /// - Parameter kind: the kind of the screen that the proposal would get.
    func isSamePlace(
        _ screen: Screen?, _ proposal: VisitProposal, _ kind: Screen.Kind, _ query: QueryStringPresentation
    ) -> Bool {
        guard let screen else { return false }
        guard samePlace != .never else { return false }
        guard screen.isWeb || comparesNativeScreensByURL else { return screen.kind == kind }
        guard samePlace == .samePathAndQuery else { return screen.url == proposal.url }
        // `path` is percent-decoded and has no trailing slash. Scheme, host, port and fragment do not count.
        guard screen.url.path == proposal.url.path else { return false }
        return query == .replace
            || screen.url.query(percentEncoded: true) == proposal.url.query(percentEncoded: true)
    }
}
