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
            let destination = destination(for: proposal, kind, properties)
            if rule.presentation == .replace { removeTop(of: .main, for: destination) }
            navigate(to: proposal, destination, on: .modal)
        case .inContext: navigateWithinContext(rule, proposal, kind, properties)
        case .refresh: refreshTop()
        case .none: reasons.append(backStack.isAtStartDestination ? .rootStays : .notPresented)
        }
    }

    /// The top of the back stack, as the rule sees it. The context is that of the location, so that even the start destination
    /// can be in the modal's, although nothing lies below it.
    private var backStack: AndroidNavigatorRule.BackStack {
        let screens = state.main + state.modal
        return .init(
            current: screens.last?.url, previous: screens.dropLast().last?.url,
            currentContext: screens.last.map(context) ?? .default)
    }

    private func context(of screen: Screen) -> PresentationContext {
        state.modal.contains { $0.id == screen.id } ? .modal : framework.interpret(properties(screen.url)).context
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
            let destination = destination(for: proposal, kind, properties)
            removeTop(of: state.visibleStack, for: destination)
            navigate(to: proposal, destination, on: properties.context.stack)
        case .push, .default:
            reasons.append(.advances)
            let destination = destination(for: proposal, kind, properties)
            // There is only one bottom sheet at a time.
            if state[state.visibleStack].last?.isBottomSheet == true {
                removeTop(of: state.visibleStack, for: destination)
            }
            navigate(to: proposal, destination, on: properties.context.stack)
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
        // If the modal has replaced the start destination, no destination is below it that could get the result. The modal's
        // last fragment is then off the back stack, and yet on the screen: the navigation library began with it.
        guard !state.main.isEmpty else { return clearBackStack() }
        dismiss(animated: properties.animated)
        // Only whole screens outside the modal's context observe results; see `HotwireFragment.shouldHandleModalResults`.
        guard let below = state.main.last(where: { !$0.isBottomSheet }), context(of: below) == .default else {
            return reasons.append(.noResultDestination)
        }
        let result = VisitProposal(
            url: proposal.url, action: rule.modalResultAction, properties: proposal.properties, source: proposal.source)
        routeOnAndroid(result, kind, properties)
    }

    private mutating func replaceRoot(
        _ proposal: VisitProposal, _ kind: Screen.Kind, _ properties: InterpretedProperties
    ) {
        // Only the `uri` itself decides here, not its fallback.
        if let uri = properties.uri, !binary.hasFragment(for: uri) {
            return missDestination(uri, of: proposal, properties)
        }
        dismiss(animated: properties.animated)
        let screen = makeScreen(proposal, kind, properties)
        set(.main, [screen], .set, animated: properties.animated)
        // `replaceRootLocation` does not save the options of the visit.
        let order = VisitOrder(
            stack: .main, url: proposal.url, action: .advance, kind: .visit, screen: screen.id, keepsOptions: false)
        visit(order, kind)
    }

    // MARK: Destinations

    /// The fragment that shows a proposal, as its `uri` or its `fallback_uri` says.
    private struct Destination {
        let kind: Screen.Kind
        let properties: InterpretedProperties
    }

    /// Finds the fragment for a proposal; see `NavigatorRule.kt`, `destinationFor`.
    /// - Returns: nil if none is registered.
    private mutating func destination(
        for proposal: VisitProposal, _ kind: Screen.Kind, _ properties: InterpretedProperties
    ) -> Destination? {
        guard let uri = properties.uri, !binary.hasFragment(for: uri) else {
            return Destination(kind: kind, properties: properties)
        }
        if state.main.isEmpty, state.modal.isEmpty {
            // Upstream ends the app with "A start Fragment destination was not found". An app without any screen would
            // only hide the mistake.
            missingFragment = MissingFragment(uri: uri, url: proposal.url, fallback: properties.fallbackURI)
            reasons.append(.startDestinationMissing)
            return Destination(kind: kind, properties: properties)
        }
        guard let fallback = properties.fallbackURI, binary.hasFragment(for: fallback) else {
            missDestination(uri, of: proposal, properties)
            return nil
        }
        reasons.append(.fallbackDestination)
        var other = properties
        other.uri = fallback
        let name = framework.nativeScreen(of: ["uri": .string(fallback)])
        return Destination(kind: name.map { .native($0) } ?? .web, properties: other)
    }

    private mutating func missDestination(
        _ uri: String, of proposal: VisitProposal, _ properties: InterpretedProperties
    ) {
        missingFragment = MissingFragment(uri: uri, url: proposal.url, fallback: properties.fallbackURI)
        reasons.append(.noDestination)
    }

    private mutating func navigate(to proposal: VisitProposal, _ destination: Destination?, on stack: NavigationStack) {
        guard let destination else { return }
        let (kind, properties) = (destination.kind, destination.properties)
        let screen = makeScreen(proposal, kind, properties)
        if !screen.isBottomSheet { removeBottomSheets() }
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

    /// Removes the bottom sheets on top. The navigation library does so before it shows a whole screen; see `NavController`,
    /// `addEntryToBackStack`.
    private mutating func removeBottomSheets() {
        for stack in [NavigationStack.modal, .main] {
            while state[stack].last?.isBottomSheet == true {
                set(stack, state[stack].dropLast(), .pop, animated: true)
            }
            guard state[stack].isEmpty else { return }
        }
    }

    /// Pops the destination on top, but never the start destination.
    mutating func popBackStack() {
        guard state.modal.count != 1 || state.main.isEmpty else { return dismiss(animated: true) }
        popTop(of: state.visibleStack, animated: true)
    }

    /// Removes the destination on top, even the start destination: another one comes in its place. If none comes, the last
    /// one stays on the screen.
    private mutating func removeTop(of stack: NavigationStack, for destination: Destination?) {
        guard destination != nil || state.ids.count > 1 else { return reasons.append(.onlyDestination) }
        set(stack, state[stack].dropLast(), .pop, animated: true)
    }

    /// Pops all destinations but the start destination. Nothing is loaded again: the start destination restores itself.
    mutating func clearBackStack() {
        guard !state.main.isEmpty else {
            // A modal has replaced the start destination.
            reasons.append(.onlyDestination)
            if state.modal.count > 1 { set(.modal, state.modal.prefix(1), .popToRoot, animated: true) }
            return
        }
        dismiss(animated: true)
        popToRoot(animated: true)
    }

    /// Loads the location of the destination on top again, if it is a web screen.
    private mutating func refreshTop() { refresh(state.visibleStack) }
}

/// A proposal for whose `uri` no fragment is registered.
struct MissingFragment: Sendable, Equatable {
    let uri: String
    let url: URL
    let fallback: String?
}

extension PresentationContext {
    fileprivate var stack: NavigationStack { self == .modal ? .modal : .main }
}
