import BridgeProtocol

extension JSONValue {
    /// Parses a JSON text.
    init(json text: String) throws { self.init(try JSON.parse(text)) }

    /// The members of an object by name. `nil` for another kind.
    var object: [String: JSONValue]? { members.map { Dictionary($0.map { ($0.key, $0.value) }) { $1 } } }

    /// The same value with every string changed, apart from the names of members.
    func mapStrings(_ change: (String) -> String) -> JSONValue {
        switch self {
        case .string(let text): .string(change(text))
        case .array(let items): .array(items.map { $0.mapStrings(change) })
        case .object(let members): .object(members.map { Member($0.key, $0.value.mapStrings(change)) })
        default: self
        }
    }

    /// Compact JSON with sorted keys, ASCII only. Recordings hold hashes of it.
    var canonical: String {
        switch self {
        case .string(let text): return Tag.quote(text)
        case .array(let items): return "[" + items.map(\.canonical).joined(separator: ",") + "]"
        case .object(let members):
            let sorted = members.sorted { $0.key < $1.key }
            return "{" + sorted.map { "\(Tag.quote($0.key)):\($0.value.canonical)" }.joined(separator: ",") + "}"
        default: return text
        }
    }
}
