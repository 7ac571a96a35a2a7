import BridgeProtocol
public import BridgeServer

/// What a component understands, and what can be done to it: `app.perform`, `bridged trigger` and docs/components.md
/// are made from it.
public struct ComponentProfile: Sendable {
    /// An event that pages send.
    public struct Event: Sendable {
        public let name: String
        /// The data's members, such as `title`; those that may be left out with a question mark.
        public let data: String
        /// What the app does, and what it replies with.
        public let effect: String

        public init(_ name: String, data: String = "", _ effect: String) {
            self.name = name
            self.data = data
            self.effect = effect
        }
    }

    /// One sentence.
    public let summary: String
    /// Empty for a component that takes any event.
    public let events: [Event]
    /// What of it `app.state` shows.
    public let state: String
    public let actions: [ComponentAction]

    public init(_ summary: String, events: [Event] = [], state: String = "", actions: [ComponentAction] = []) {
        self.summary = summary
        self.events = events
        self.state = state
        self.actions = actions
    }

    /// The verdict on an event that the component does not have.
    func refusal(of message: Message) -> Verdict? {
        guard !events.isEmpty, !events.contains(where: { $0.name == message.event }) else { return nil }
        return .unknownEvent(message.event, of: message.component, among: events.map(\.name))
    }
}

/// What a user can do to a component on the screen, such as `submit` to `form`: `app.perform` calls it `form.submit`.
public struct ComponentAction: Sendable {
    public let name: String
    public let summary: String
    public let required: [String]
    public let optional: [String]
    let perform: @MainActor @Sendable (EmulatedApp, BridgeComponent?, AppAction.Arguments) throws -> Void

    /// Something that concerns the component of the screen that the user sees.
    /// - Parameter perform: throws `ActionRefusal` where that can't be done now.
    public init<Component: BridgeComponent>(
        _ name: String, _ summary: String, required: [String] = [], optional: [String] = [],
        perform: @escaping @MainActor @Sendable (Component, AppAction.Arguments) throws -> Void
    ) {
        self.init(
            name, summary, required: required, optional: optional,
            onDevice: { _, component, arguments in
                guard let component = component as? Component else {
                    throw ActionRefusal(
                        """
                        nothing on the screen uses the component '\(Component.name)'. Its page sends a message to it \
                        first; bridged doctor says what keeps it from that.
                        """)
                }
                try perform(component, arguments)
            })
    }

    /// Something that concerns the phone, whether the screen has such a component or not.
    init(
        _ name: String, _ summary: String, required: [String] = [], optional: [String] = [],
        onDevice perform:
            @escaping @MainActor @Sendable (EmulatedApp, BridgeComponent?, AppAction.Arguments) throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.required = required
        self.optional = optional
        self.perform = perform
    }
}
