public import BridgeProtocol

/// What `bridged.yml` declares to answer as a cassette does: stubs of a handler, a component's events, or the methods of an
/// interface object. Answers that depend on the number of a message, or that came more than once, are not all there: for a
/// handler and a method the last one, for a component's message the first.
public struct CassetteDeclarations {
    /// A mapping with the key `stubs`, `components` or `interfaces`.
    public let value: JSONValue

    /// - Parameter name: that of a handler, component or object.
    /// - Returns: nil if the cassette has nothing of that name.
    public init?(of name: String, in cassette: Cassette) {
        let entries = cassette.entries.filter { $0.receiver.name == name }
        guard let first = entries.first else { return nil }
        let declared = entries.filter { $0.receiver.isBeside(first.receiver) }
        switch first.receiver {
        case .handler: value = ["stubs": .array(CassetteDeclarations.last(of: declared).map(\.stub))]
        case .component:
            value = ["components": .object([.init(name, CassetteDeclarations.events(declared))])]
        case .method:
            let methods = CassetteDeclarations.byName(declared) { receiver in
                if case .method(let name, _) = receiver { name } else { "" }
            }
            value = [
                "interfaces": .object([
                    .init(name, .object(methods.map { .init($0.name, $0.entries.last?.reply.yaml ?? .null) }))
                ])
            ]
        }
    }

    /// The declarations as lines of `bridged.yml`.
    public var yaml: String {
        (value.members ?? []).flatMap { member -> [String] in
            guard case .array(let stubs) = member.value else {
                return ["\(member.key):"]
                    + (member.value.members ?? []).flatMap { named in
                        ["  \(YAMLText.scalar(named.key)):"]
                            + (named.value.members ?? []).flatMap { YAMLText.lines($0.key, $0.value) }.map {
                                "    \($0)"
                            }
                    }
            }
            return ["\(member.key):"]
                + stubs.flatMap { YAMLText.lines(ofElement: $0.members ?? []) }.map { "  \($0)" }
        }.map { "\($0)\n" }.joined()
    }

    /// The last entry of each pattern. The newest stub that fits answers, so one for any body comes first.
    private static func last(of entries: [Cassette.Entry]) -> [Cassette.Entry] {
        var kept: [(pattern: String, entry: Cassette.Entry)] = []
        for entry in entries {
            let pattern = entry.pattern.match?.text ?? ""
            kept.removeAll { $0.pattern == pattern }
            kept.append((pattern, entry))
        }
        return kept.filter { $0.pattern.isEmpty }.map(\.entry) + kept.filter { !$0.pattern.isEmpty }.map(\.entry)
    }

    /// The responses to each event, for one message after the other.
    private static func events(_ entries: [Cassette.Entry]) -> JSONValue {
        let events = byName(entries) { receiver in
            if case .component(_, let event) = receiver { event } else { "" }
        }
        return .object(
            events.map { event, entries in
                let responses = entries.map(\.response)
                return .init(event, responses.count == 1 ? responses[0] : .array(responses))
            })
    }

    /// The entries of each name, in the order in which the names first appear.
    private static func byName(
        _ entries: [Cassette.Entry], _ name: (Cassette.Receiver) -> String
    ) -> [(name: String, entries: [Cassette.Entry])] {
        var groups: [(name: String, entries: [Cassette.Entry])] = []
        for entry in entries {
            let name = name(entry.receiver)
            if let index = groups.firstIndex(where: { $0.name == name }) {
                groups[index].entries.append(entry)
            } else {
                groups.append((name, [entry]))
            }
        }
        return groups
    }
}

extension Cassette.Pattern {
    /// The match of a stub; nil for any body.
    fileprivate var match: JSONValue? {
        switch self {
        case .anything: nil
        case .exactly(let content): content.withoutPlaceholders
        case .containing(let subset): JSONValue(subset.json)
        }
    }
}

extension Cassette.Entry {
    /// A stub as `DeclaredStub` reads it.
    fileprivate var stub: JSONValue {
        var members: [JSONValue.Member] = [.init("handler", .string(receiver.name))]
        if let match = pattern.match { members.append(.init("match", match)) }
        members.append(.init("reply", reply.yaml))
        if let delay = delay.yaml { members.append(.init("delay", delay)) }
        if !calls.isEmpty { members.append(.init("calls", .array(calls.map(\.yaml)))) }
        return .object(members)
    }

    /// A component's response, which has one reply.
    fileprivate var response: JSONValue {
        guard let reply = replies.first else { return [:] }
        var members: [JSONValue.Member] = [.init("reply", reply.data)]
        if let delay = reply.delay.yaml { members.append(.init("delay", delay)) }
        return .object(members)
    }
}
