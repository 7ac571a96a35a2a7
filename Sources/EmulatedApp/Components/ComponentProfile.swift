import BridgeProtocol

/// The events a component understands and the actions a user can perform on it. `app.actions` and docs/components.md list
/// what is declared here.
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
    public let actions: [ActionHandler]

    public init(_ summary: String, events: [Event] = [], state: String = "", actions: [ActionHandler] = []) {
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
