/// A small JSON value written down in Swift, such as the data of an error: `["limit": 1024]`.
///
/// An object keeps the order in which its members were written.
public enum JSONLiteral: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONLiteral])
    case object([Member])

    public struct Member: Sendable, Equatable {
        public let key: String
        public let value: JSONLiteral

        public init(_ key: String, _ value: JSONLiteral) {
            self.key = key
            self.value = value
        }
    }
}

extension JSONLiteral: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONLiteral...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, JSONLiteral)...) {
        self = .object(members.map { Member($0.0, $0.1) })
    }
}

extension JSONLiteral: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value): writer.number(value)
        case .string(let value): writer.string(value)
        case .array(let elements): elements.write(to: &writer)
        case .object(let members):
            writer.object { writer in
                for member in members { writer.member(member.key, member.value) }
            }
        }
    }
}
