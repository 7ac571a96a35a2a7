import Foundation
import PathConfiguration

/// Decides on a proposal. The checks are in the order in which they apply.
extension Navigator {
    mutating func propose(_ proposal: VisitProposal) {
        let properties = framework.interpret(proposal.properties)
        // This happens first, even if the proposal then leaves the app or is rejected.
        if proposal.source == .page(redirected: true) { popRedirectedScreen(properties) }
        guard staysInApp(proposal) else {
            reasons.append(.otherHost)
            effects.append(.open(proposal.url, via: ExternalBrowser(for: proposal.url)))
            return
        }
        switch handle(proposal) {
        case .reject: reasons.append(.rejected)
        case .alert:
            reasons.append(.alert)
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

    /// Whether the proposal's URL is on the app's host. Scheme, port and user do not matter; a subdomain is another
    /// host.
    private func staysInApp(_ proposal: VisitProposal) -> Bool {
        if proposal.source == .native, !framework.checksNativeHosts { return true }
        return proposal.url.host == startLocation.host
    }

    private mutating func present(_ proposal: VisitProposal, _ kind: Screen.Kind, _ properties: InterpretedProperties) {
        guard framework.platform == .ios else { return routeOnAndroid(proposal, kind, properties) }
        let isHistorical = properties.isHistoricalLocation && framework.knowsHistoricalLocations
        if isHistorical {
            reasons.append(.historicalLocation)
            dismiss(animated: properties.animated)
        }
        let rule = framework.rule(
            properties.presentation, properties.context, modal: ModalDepth(state), action: proposal.action,
            isHistorical: isHistorical)
        apply(rule, to: proposal, kind, properties)
    }
}
