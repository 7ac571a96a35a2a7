import BridgeProtocol

/// The events a component understands and the actions a user can perform on it. `app.actions` and docs/components.md
/// list what is declared here.
public struct ComponentProfile: Sendable {
    /// An event that pages send to the component.
    public struct Event: Sendable {
        public let name: String
        /// The names of the data's members, such as `title`; optional ones have a question mark.
        public let data: String
        /// Describes what the app does and what it replies.
        public let effect: String

        public init(_ name: String, data: String = "", _ effect: String) {
            self.name = name
            self.data = data
            self.effect = effect
        }
    }

    /// Describes the component in one sentence.
    public let summary: String
    /// The events that the component understands. Empty for a component that accepts any event.
    public let events: [Event]
    /// Describes what `app.state` shows of the component.
    public let state: String
    public let actions: [ActionHandler]

    public init(_ summary: String, events: [Event] = [], state: String = "", actions: [ActionHandler] = []) {
        self.summary = summary
        self.events = events
        self.state = state
        self.actions = actions
    }

    /// Returns the verdict on a message whose event the component does not have; nil if the component has the event.
    func refusal(of message: Message) -> Verdict? {
        guard !events.isEmpty, !events.contains(where: { $0.name == message.event }) else { return nil }
        return .unknownEvent(message.event, of: message.component, among: events.map(\.name))
    }
}
