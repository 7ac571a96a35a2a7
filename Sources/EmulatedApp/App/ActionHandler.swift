public import BridgeServer

/// An action of the emulated app, and the code that performs it.
public struct ActionHandler: Sendable {
    typealias Body = @MainActor @Sendable (EmulatedApp, BridgeComponent?, Action.Arguments) throws -> Void

    public let action: Action
    /// Performs the action. The arguments have passed `Action.validate(_:)`. The component is the one on the visible
    /// screen that the action belongs to; nil if the screen has no such component.
    let perform: Body

    private init(_ action: Action, perform: @escaping Body) {
        self.action = action
        self.perform = perform
    }

    /// An action on a component of the visible screen. `app.actions` puts the component's name in front: `submit` of
    /// `form` is `form.submit`.
    /// - Parameter perform: throws `ActionRefusal` if the component cannot do it now.
    public init<Component: BridgeComponent>(
        _ name: String, _ summary: String, required: [String] = [], optional: [String] = [],
        perform: @escaping @MainActor @Sendable (Component, Action.Arguments) throws -> Void
    ) {
        self.init(Action(name, summary, required: required, optional: optional)) { _, component, arguments in
            guard let component = component as? Component else {
                throw ActionHandler.refusal(ofMissing: Component.name)
            }
            try perform(component, arguments)
        }
    }

    /// Makes the error of an action on a component that the screen does not have.
    static func refusal(ofMissing component: String) -> ActionRefusal {
        ActionRefusal(
            """
            nothing on the screen uses the component '\(component)'. Its page sends a message to it first; bridged \
            doctor says what keeps it from that.
            """)
    }

    /// An action on the app or its phone. It does not depend on the visible screen.
    init(
        _ name: String, _ summary: String, required: [String] = [], optional: [String] = [],
        leavesScreen: Bool = false,
        app perform: @escaping @MainActor @Sendable (EmulatedApp, Action.Arguments) throws -> Void
    ) {
        let action = Action(name, summary, required: required, optional: optional, leavesScreen: leavesScreen)
        self.init(action) { app, _, arguments in try perform(app, arguments) }
    }

    /// The same handler under the name that it has in `app.actions`, for the component of the visible screen.
    func onVisibleComponent(_ component: String) -> ActionHandler {
        let action = Action(
            "\(component).\(action.name)", action.summary, required: action.required, optional: action.optional)
        return ActionHandler(action) { app, _, arguments in
            try perform(app, app.screens.visible?.bridgeDelegate.component(named: component), arguments)
        }
    }
}
