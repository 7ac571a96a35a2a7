import BridgeProtocol
public import Foundation
public import PathConfiguration

/// Something that happens to a navigator.
public enum NavigationStep: Sendable, Equatable {
    /// The page of the visible stack proposes.
    case visit(URL, VisitAction, redirected: Bool)
    /// Native code routes. With properties, the configuration is not asked.
    case route(URL, VisitAction, PathProperties?)
    case crossOriginRedirect(URL)
    case pop, clearAll, start, back, dismissModal

    /// The kinds, as recordings name them.
    static let names = [
        "visit", "route", "pop", "clearAll", "start", "back", "dismissModal", "crossOriginRedirect",
    ]
}

extension Navigator {
    public mutating func take(_ step: NavigationStep) -> [NavigationEffect] {
        switch step {
        case .visit(let url, let action, let redirected): visitProposed(url, action: action, redirected: redirected)
        case .route(let url, let action, nil): route(url, action: action)
        case .route(let url, let action, let properties?):
            route(VisitProposal(url: url, action: action, properties: properties))
        case .crossOriginRedirect(let url): crossOriginRedirect(to: url)
        case .pop: pop()
        case .clearAll: clearAll()
        case .start: start()
        case .back: back()
        case .dismissModal: dismissModal()
        }
    }
}
