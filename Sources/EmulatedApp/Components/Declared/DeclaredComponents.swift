import BridgeProtocol

/// The declared components of an app, and the declared responses to single events of other components.
@MainActor final class DeclaredComponents {
    private struct Entry {
        var component: DeclaredComponent
        /// Whether the declaration replaces a component in Swift of the same name. If not, it answers its own events only.
        var isWhole: Bool
    }

    private struct Turn: Hashable {
        let component: String
        let event: String
    }

    private var entries: [String: Entry] = [:]
    /// How many messages each event has had since it was declared.
    private var turns: [Turn: Int] = [:]
    /// The names of the components for which the server's cassette answers, unless an event is declared.
    private let recorded: Set<String>

    init(_ components: [DeclaredComponent], recorded: [String] = []) {
        self.recorded = Set(recorded)
        for component in components { declare(component) }
    }

    /// Forgets what was declared and stubbed since the app started, and which turn each event has.
    func reset(to components: [DeclaredComponent]) {
        (entries, turns) = ([:], [:])
        for component in components { declare(component) }
    }

    /// The number of events that are declared, apart from those of the components with these names.
    func eventCount(without names: Set<String> = []) -> Int {
        entries.values.filter { !names.contains($0.component.name) }.reduce(0) { $0 + $1.component.events.count }
    }

    /// Declares a component in place of any other one with its name.
    func declare(_ component: DeclaredComponent) {
        entries[component.name] = Entry(component: component, isWhole: true)
        turns = turns.filter { $0.key.component != component.name }
    }

    /// Answers the events of the declaration in place of the component that the app has.
    func stub(_ component: DeclaredComponent) {
        if entries[component.name] == nil { entries[component.name] = Entry(component: component, isWhole: false) }
        entries[component.name]?.component.merge(component)
        for event in component.events { turns[Turn(component: component.name, event: event.name)] = nil }
    }

    /// The declaration of a component, also if it answers only some events of a component in Swift.
    subscript(name: String) -> DeclaredComponent? { entries[name]?.component }

    var names: [String] { recorded.union(entries.keys).sorted() }

    /// Whether the cassette answers an event of a component.
    func isRecorded(_ event: String, of component: String) -> Bool {
        recorded.contains(component) && self[component]?[event] == nil && !replaces(component)
    }

    func isRecorded(_ component: String) -> Bool { recorded.contains(component) }

    func replaces(_ name: String) -> Bool { entries[name]?.isWhole == true }

    /// Returns what the app does at this message of an event, and counts the message.
    func nextResponse(to event: String, of component: String) -> ComponentResponse? {
        guard let responses = self[component]?[event]?.responses else { return nil }
        let turn = turns[Turn(component: component, event: event), default: 0]
        turns[Turn(component: component, event: event)] = turn + 1
        return responses[min(turn, responses.count - 1)]
    }
}

/// A component that is declared and has no Swift. Its ``DeclaredParts`` do what it does.
final class DeclaredBridgeComponent: BridgeComponent {
    private let declaredName: String

    override var componentName: String { declaredName }

    init(_ name: String, destination: any BridgeDestination, delegate: any BridgingDelegate) {
        declaredName = name
        super.init(destination: destination, delegate: delegate)
    }

    required init(destination: any BridgeDestination, delegate: any BridgingDelegate) {
        declaredName = ""
        super.init(destination: destination, delegate: delegate)
    }
}
