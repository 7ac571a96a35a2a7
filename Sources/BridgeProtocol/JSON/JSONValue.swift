/// A small JSON value written down in Swift, such as the data of an error: `["limit": 1024]`.
///
/// An object keeps the order in which its members were written.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    public struct Member: Sendable, Equatable {
        public let key: String
        public let value: JSONValue

        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(members.map { Member($0.0, $0.1) })
    }
}

extension JSONValue {
    /// Text, or null for none.
    public init(text: String?) { self = text.map { .string($0) } ?? .null }

    /// A parsed value, to keep.
    public init(_ json: JSON) {
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
            var members: [Member] = []
            json.forEachMember { members.append(Member($0, JSONValue($1))) }
            self = .object(members)
        }
    }
}

extension JSONValue: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value): writer.number(value)
        case .string(let value): writer.string(value)
        case .array(let elements): elements.write(to: &writer)
        case .object(let members):
            writer.object { writer in
                for member in members { writer.member(named: member.key, member.value) }
            }
        }
    }
}
