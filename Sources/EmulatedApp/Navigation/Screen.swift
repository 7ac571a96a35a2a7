public import Foundation

/// One screen on a stack.
public struct Screen: Sendable, Equatable, Identifiable {
    public enum Kind: Sendable, Equatable {
        case web
        /// A native screen class, by name.
        case native(String)
    }

    /// Tells screens apart that show the same URL. From 1, in the order in which they were made.
    public let id: Int
    /// What it was created with. A redirect since does not change it.
    public let url: URL
    public let kind: Kind
    public var title: String?
    /// Put up by its page, one after the other.
    public var barButtons: [EmulatedApp.BarButton] = []
    /// Whether the swipe that dismisses a modal works while this screen is on top of it.
    public let dismissGestureEnabled: Bool

    public var isWeb: Bool { kind == .web }
}

/// The two stacks of screens.
public enum NavigationStack: String, Sendable, CaseIterable { case main, modal }
