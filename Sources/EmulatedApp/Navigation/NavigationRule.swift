public import PathConfiguration

/// How much of a modal is up when a proposal comes.
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

/// What one row of the table says: whether the modal goes, what becomes of which stack, and what is visited.
public struct NavigationRule: Sendable, Equatable {
    enum Change: Sendable, Equatable {
        case nothing
        /// The top, the one below, a push, or the top again: whichever place the URL is. See `Navigator.place`.
        case place(NavigationStack)
        case replaceTop(NavigationStack)
        case present
        /// The top screen goes, never the root.
        case pop(NavigationStack)
        case popToRoot
        case replaceRoot
    }

    enum Visit: Sendable, Equatable {
        case none
        case newScreen
        /// Of `replaceRoot`: always with the action `replace`.
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

    /// The modal goes first. Where none is up, that is nothing.
    static func dismissing(_ rule: NavigationRule) -> NavigationRule {
        var rule = rule
        rule.dismisses = true
        return rule
    }

    static func refreshing(_ stack: NavigationStack, after change: Change) -> NavigationRule {
        NavigationRule(change: change, visit: .revealed(stack))
    }
}

extension NavigationRules {
    /// The table: which rule applies. Historical locations come here with their modal already dismissed.
    public func rule(
        _ presentation: Presentation, _ context: PresentationContext, modal: ModalDepth, action: VisitAction = .advance,
        isHistorical: Bool = false
    ) -> NavigationRule {
        switch (presentation, context, modal) {
        case (.default, .default, .none), (.push, .default, .none): .place(on: .main)
        case (.default, .default, _), (.push, .default, _):
            action == .replace && !pushesAfterModal
                ? .dismissing(.replaceTop(of: .main)) : .dismissing(.place(on: .main))
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
}
