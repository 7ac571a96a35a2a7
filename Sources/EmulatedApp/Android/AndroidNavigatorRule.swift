import Foundation
import PathConfiguration

/// How hotwire-native-android shows a location: its presentation and its mode; see `NavigatorRule.kt`.
///
/// It is a value that reads the back stack and changes nothing.
struct AndroidNavigatorRule: Equatable {
    /// What the navigator does with the proposal; see `NavigatorMode.kt`.
    enum Mode: Equatable {
        /// The modal's destinations are popped, and the destination below gets the location as the modal's result.
        case dismissModal
        /// The first destination of a modal is shown.
        case toModal
        case inContext
        case refresh
        case none
    }

    /// The destinations on top of the back stack when the proposal comes.
    struct BackStack: Equatable {
        /// nil if no destination is shown yet.
        let current: URL?
        /// nil at the start destination.
        let previous: URL?
        let currentContext: PresentationContext

        var isAtStartDestination: Bool { previous == nil }
    }

    let presentation: Presentation
    let mode: Mode
    /// The action of the visit that follows a modal's dismissal. It is `advance`, so that the screen below stays, unless
    /// the location was below the dismissed screen.
    let modalResultAction: VisitAction

    init(_ location: URL, _ action: VisitAction, _ properties: InterpretedProperties, on backStack: BackStack) {
        func isLocation(_ other: URL?) -> Bool {
            other.map { AndroidNavigatorRule.areSame(location, $0, properties.queryStringPresentation) } ?? false
        }
        presentation = AndroidNavigatorRule.presentation(
            action, properties, backStack, isCurrent: isLocation(backStack.current),
            isPrevious: isLocation(backStack.previous))
        mode = AndroidNavigatorRule.mode(presentation, properties.context, backStack)
        modalResultAction = isLocation(backStack.previous) ? .replace : .advance
    }

    private static func presentation(
        _ action: VisitAction, _ properties: InterpretedProperties, _ backStack: BackStack, isCurrent: Bool,
        isPrevious: Bool
    ) -> Presentation {
        guard properties.presentation == .default else {
            // The app cannot pop or clear its start destination.
            let isImpossible = [.pop, .clearAll].contains(properties.presentation) && backStack.isAtStartDestination
            return isImpossible ? .none : properties.presentation
        }
        let leavesModal = backStack.currentContext == .modal && properties.context == .default
        if isCurrent, backStack.isAtStartDestination { return .replaceRoot }
        if isPrevious || leavesModal { return .pop }
        return isCurrent || action == .replace ? .replace : .push
    }

    private static func mode(
        _ presentation: Presentation, _ context: PresentationContext, _ backStack: BackStack
    ) -> Mode {
        if presentation != .replaceRoot, backStack.currentContext != context {
            return context == .modal ? .toModal : .dismissModal
        }
        return switch presentation {
        case .refresh: .refresh
        case .none: .none
        case .default, .push, .pop, .replace, .clearAll, .replaceRoot: .inContext
        }
    }

    /// Whether two URLs are the same location: their paths are equal, with the slash at the end, and their queries, unless
    /// the query replaces.
    private static func areSame(_ first: URL, _ second: URL, _ query: QueryStringPresentation) -> Bool {
        first.path(percentEncoded: false) == second.path(percentEncoded: false)
            && (query == .replace || first.query(percentEncoded: false) == second.query(percentEncoded: false))
    }
}
