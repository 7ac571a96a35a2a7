public import Foundation

/// One screen on a stack.
public struct Screen: Sendable, Equatable, Identifiable {
    public enum Kind: Sendable, Equatable {
        case web
        /// A native screen of the class with that name.
        case native(String)
    }

    /// The screen's number, counted from 1 in the order in which screens are made.
    public let id: Int
    /// The URL that the screen was made with. A redirect does not change it.
    public let url: URL
    public let kind: Kind
    public var title: String?
    /// The buttons that the screen's page has set.
    public var barButtons: [EmulatedApp.BarButton] = []
    /// Whether a swipe dismisses the modal while this screen is on top.
    public let dismissGestureEnabled: Bool
    /// Android: whether the screen is a sheet at the bottom, and not a whole screen.
    public let isBottomSheet: Bool

    public var isWeb: Bool { kind == .web }
}

/// The two stacks of screens.
public enum NavigationStack: String, Sendable, CaseIterable { case main, modal }
