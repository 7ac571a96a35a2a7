import Foundation
import PathConfiguration

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
