public import PathConfiguration

/// The screens on both stacks. ``Navigator`` changes this value.
public struct NavigationState: Sendable, Equatable {
    /// The screens of the main stack from bottom to top.
    public internal(set) var main: [Screen] = []
    /// The screens of the modal from bottom to top. Empty if no modal is presented.
    public internal(set) var modal: [Screen] = []
    /// The style with which the modal was presented.
    public internal(set) var modalStyle = ModalStyle.large
    /// Whether a stack has ever had a screen. `start()` does nothing from then on.
    public internal(set) var hasStarted = false
    /// The number of screens made so far.
    var screensMade = 0

    public init() {}

    public var isModalPresented: Bool { !modal.isEmpty }
    /// The stack that the user sees.
    public var visibleStack: NavigationStack { isModalPresented ? .modal : .main }

    public subscript(stack: NavigationStack) -> [Screen] { stack == .main ? main : modal }

    /// Whether a swipe dismisses the modal: it is not full screen, and its top screen allows the gesture.
    public var isDismissible: Bool {
        modalStyle != .full && modal.last?.dismissGestureEnabled ?? false
    }

    /// Removes the oldest screens of each stack, but not its first one, if there are more than `count`. On a phone they
    /// stay until its memory is used up.
    mutating func removeOldest(keeping count: Int) {
        for stack in [\NavigationState.main, \.modal] where self[keyPath: stack].count > max(1, count) {
            self[keyPath: stack].removeSubrange(1...(self[keyPath: stack].count - max(1, count)))
        }
    }

    /// The ids of all screens.
    var ids: [Screen.ID] { main.map(\.id) + modal.map(\.id) }

    /// The screen with that id; nil if it is on no stack.
    public internal(set) subscript(id: Screen.ID) -> Screen? {
        get { main.last { $0.id == id } ?? modal.last { $0.id == id } }
        set {
            guard let newValue, newValue.id == id else { return }
            if let index = main.firstIndex(where: { $0.id == id }) { main[index] = newValue }
            if let index = modal.firstIndex(where: { $0.id == id }) { modal[index] = newValue }
        }
    }
}
