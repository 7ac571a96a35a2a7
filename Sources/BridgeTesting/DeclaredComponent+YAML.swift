import BridgeProtocol
public import BridgeYAML
public import EmulatedApp

extension DeclaredComponent {
    /// Reads components: a mapping with the events of each one by its name.
    public static func all(in value: YAMLValue) throws(YAMLError) -> [DeclaredComponent] {
        do throws(DeclarationError) { return try all(in: value.json) } catch { throw value.error(error) }
    }

    /// Reads `{component: …, event: …}` and the response to that event, or its `responses`: a list of them for one
    /// message after the other. `answers` is another name of that list, which older flows have.
    public static func stub(_ value: YAMLValue) throws(YAMLError) -> DeclaredComponent {
        let members = try value.orderedMembers()
        func member(_ key: String) -> YAMLValue? { members.first { $0.key == key }?.value }
        guard let component = try member("component")?.text(), let event = try member("event")?.text() else {
            throw value.error(
                expected: "A stub of a component needs its event: {component: form, event: connect, reply: echo}")
        }
        let list = member("responses") ?? member("answers")
        let rest = members.filter { !["component", "event"].contains($0.key) }
        guard list == nil || rest.count == 1 else {
            throw value.error(expected: "Give responses, a list, or one response, not both")
        }
        let response = list?.json ?? .object(rest.map { .init($0.key, $0.value.json) })
        do throws(DeclarationError) { return try DeclaredComponent(component, [event: response]) } catch {
            throw (list ?? value).error(error.withinEvent)
        }
    }
}

extension YAMLValue {
    fileprivate func error(_ error: DeclarationError) -> YAMLError { nearest(to: error.place).error(error.message) }
}
