import PathConfiguration

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

    mutating func popScreen(animated: Bool) {
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
    var stackOfNewScreen: NavigationStack? {
        switch change {
        case .place(let stack), .replaceTop(let stack): stack
        case .present: .modal
        case .replaceRoot: .main
        case .nothing, .pop, .popToRoot: nil
        }
    }
}
