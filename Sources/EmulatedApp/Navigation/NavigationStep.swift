public import Foundation
public import PathConfiguration

/// Something that happens to a navigator.
public enum NavigationStep: Sendable, Equatable {
    /// The page of the visible stack proposes a visit.
    case visit(URL, VisitAction, redirected: Bool)
    /// Native code routes. If properties are given, they replace those of the path configuration.
    case route(URL, VisitAction, PathProperties?)
    case crossOriginRedirect(URL)
    case pop, clearAll, start, back, dismissModal

    /// The names of the kinds in recordings.
    static let names = [
        "visit", "route", "pop", "clearAll", "start", "back", "dismissModal", "crossOriginRedirect",
    ]
}
