import BridgeProtocol

/// A JSON value to compare: members have no order, numbers count by value, and booleans are no numbers. Kept apart from
/// the library's own, which is under test.
indirect enum JSONValue: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(_ json: JSON) {
        switch json.kind {
        case .null: self = .null
        case .bool: self = .bool(json.bool ?? false)
        case .number: self = .number(json.number ?? 0)
        case .string: self = .string(json.string ?? "")
        case .array:
            var elements: [JSONValue] = []
            json.forEachElement { elements.append(JSONValue($0)) }
            self = .array(elements)
        case .object:
            var members: [String: JSONValue] = [:]
            json.forEachMember { members[$0] = JSONValue($1) }
            self = .object(members)
        }
    }

    func without(_ keys: [String]) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { !keys.contains($0.key) })
    }
}
