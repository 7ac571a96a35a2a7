import Foundation
import PathConfiguration

/// The navigator of hotwire-native-android; see `Navigator.kt`.
///
/// Android has one back stack, on which a modal's destinations lie above the others. Here those are the stack `modal`.
extension Navigator {
    /// Shows a proposal's location as `Navigator.route` does.
    mutating func routeOnAndroid(_ proposal: VisitProposal, _ kind: Screen.Kind, _ properties: InterpretedProperties) {
        let rule = AndroidNavigatorRule(proposal.url, proposal.action, properties, on: backStack)
        if properties.context == .modal, rule.presentation == .replaceRoot {
            // Upstream throws a NavigatorException here, which ends the app.
            return reasons.append(.modalReplacesRoot)
        }
        switch rule.mode {
        case .dismissModal: dismissModal(rule, proposal, kind, properties)
        case .toModal:
            if rule.presentation == .replace { removeTop(of: .main) }
            navigate(to: proposal, kind, properties, on: .modal)
        case .inContext: navigateWithinContext(rule, proposal, kind, properties)
        case .refresh: refreshTop()
        case .none: reasons.append(backStack.isAtStartDestination ? .rootStays : .notPresented)
        }
    }

    /// The top of the back stack, as the rule sees it.
    private var backStack: AndroidNavigatorRule.BackStack {
        let screens = state.main + state.modal
        return .init(
            current: screens.last?.url, previous: screens.dropLast().last?.url,
            currentContext: state.isModalPresented ? .modal : .default)
    }

    private mutating func navigateWithinContext(
        _ rule: AndroidNavigatorRule, _ proposal: VisitProposal, _ kind: Screen.Kind,
        _ properties: InterpretedProperties
    ) {
        switch rule.presentation {
        case .pop:
            reasons.append(properties.presentation == .pop ? .popped : .previousPlace)
            popBackStack()
        case .replace:
            reasons.append(proposal.action == .replace ? .keepsHeight : .samePlace)
            removeTop(of: state.visibleStack)
            navigate(to: proposal, kind, properties, on: properties.context.stack)
        case .push, .default:
            reasons.append(.advances)
            // There is only one bottom sheet at a time.
            if state[state.visibleStack].last?.isBottomSheet == true { removeTop(of: state.visibleStack) }
            navigate(to: proposal, kind, properties, on: properties.context.stack)
        case .replaceRoot: replaceRoot(proposal, kind, properties)
        case .clearAll: clearBackStack()
        case .refresh, .none: break
        }
    }

    /// Pops all destinations of the modal. The one below gets the location and may show it.
    private mutating func dismissModal(
        _ rule: AndroidNavigatorRule, _ proposal: VisitProposal, _ kind: Screen.Kind,
        _ properties: InterpretedProperties
    ) {
        reasons.append(.modalResult)
        dismiss(animated: properties.animated)
        let result = VisitProposal(
            url: proposal.url, action: rule.modalResultAction, properties: proposal.properties, source: proposal.source)
        routeOnAndroid(result, kind, properties)
    }

    private mutating func replaceRoot(
        _ proposal: VisitProposal, _ kind: Screen.Kind, _ properties: InterpretedProperties
    ) {
        dismiss(animated: properties.animated)
        let screen = makeScreen(proposal, kind, properties)
        set(.main, [screen], .set, animated: properties.animated)
        order(proposal, kind, screen, on: .main)
    }

    private mutating func navigate(
        to proposal: VisitProposal, _ kind: Screen.Kind, _ properties: InterpretedProperties,
        on stack: NavigationStack
    ) {
        let screen = makeScreen(proposal, kind, properties)
        let presents = stack == .modal && !state.isModalPresented
        set(stack, state[stack] + [screen], .push, animated: properties.animated)
        if presents { record(.present, .main, animated: properties.animated) }
        order(proposal, kind, screen, on: stack)
    }

    private mutating func order(
        _ proposal: VisitProposal, _ kind: Screen.Kind, _ screen: Screen, on stack: NavigationStack
    ) {
        visit(
            VisitOrder(stack: stack, url: proposal.url, action: proposal.action, kind: .visit, screen: screen.id), kind)
    }

    /// Pops the destination on top, but never the start destination.
    mutating func popBackStack() {
        guard state.modal.count != 1 else { return dismiss(animated: true) }
        popTop(of: state.visibleStack, animated: true)
    }

    /// Removes the destination on top, even the start destination: another one comes in its place.
    private mutating func removeTop(of stack: NavigationStack) {
        set(stack, state[stack].dropLast(), .pop, animated: true)
    }

    /// Pops all destinations but the start destination. Nothing is loaded again: the start destination restores itself.
    mutating func clearBackStack() {
        dismiss(animated: true)
        popToRoot(animated: true)
    }

    /// Loads the location of the destination on top again, if it is a web screen.
    private mutating func refreshTop() { refresh(state.visibleStack) }
}

extension PresentationContext {
    fileprivate var stack: NavigationStack { self == .modal ? .modal : .main }
}
