import BridgeProtocol

/// A JSON value to compare: members have no order, numbers count by value, and booleans are no numbers. Kept apart from
/// the library's own, which is under test.
indirect enum JSONTree: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONTree])
    case object([String: JSONTree])

    init(_ json: JSON) {
        switch json.kind {
        case .null: self = .null
        case .bool: self = .bool(json.bool ?? false)
        case .number: self = .number(json.number ?? 0)
        case .string: self = .string(json.string ?? "")
        case .array:
            var elements: [JSONTree] = []
            json.forEachElement { elements.append(JSONTree($0)) }
            self = .array(elements)
        case .object:
            var members: [String: JSONTree] = [:]
            json.forEachMember { members[$0] = JSONTree($1) }
            self = .object(members)
        }
    }

    func without(_ keys: [String]) -> JSONTree {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { !keys.contains($0.key) })
    }
}
