public import PathConfiguration

/// What the app shows: the screens of both stacks. A value without I/O; ``Navigator`` changes it.
public struct NavigationState: Sendable, Equatable {
    /// Bottom to top.
    public internal(set) var main: [Screen] = []
    /// Bottom to top. Empty unless a modal is presented: a dismissed modal's screens are forgotten.
    public internal(set) var modal: [Screen] = []
    /// What the presented modal asked for when it came up.
    public internal(set) var modalStyle = ModalStyle.large
    /// Whether either stack ever had a screen. `start()` does nothing from then on.
    public internal(set) var hasStarted = false
    /// How many screens were made so far.
    var screensMade = 0

    public init() {}

    public var isModalPresented: Bool { !modal.isEmpty }
    /// The stack that the user sees.
    public var visibleStack: NavigationStack { isModalPresented ? .modal : .main }

    public subscript(stack: NavigationStack) -> [Screen] { stack == .main ? main : modal }

    /// Whether the user's swipe would dismiss the modal: not a full-screen one, and not while the top screen forbids it.
    public var isDismissible: Bool {
        modalStyle != .full && modal.last?.dismissGestureEnabled ?? false
    }

    /// The screen of that id. Nil where it is gone.
    public internal(set) subscript(id: Screen.ID) -> Screen? {
        get { (main + modal).first { $0.id == id } }
        set {
            guard let newValue, newValue.id == id else { return }
            if let index = main.firstIndex(where: { $0.id == id }) { main[index] = newValue }
            if let index = modal.firstIndex(where: { $0.id == id }) { modal[index] = newValue }
        }
    }
}
