public import BridgeProtocol

/// What a property or a setting can be: any JSON value. Members of objects have no order; numbers are doubles.
public enum PathValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([PathValue])
    case object([String: PathValue])

    public init(_ json: JSON) {
        switch json.kind {
        case .null: self = .null
        case .bool: self = .bool(json.bool ?? false)
        case .number: self = .number(json.number ?? 0)
        case .string: self = .string(json.string ?? "")
        case .array:
            var elements: [PathValue] = []
            json.forEachElement { elements.append(PathValue($0)) }
            self = .array(elements)
        case .object: self = .object(PathValue.members(of: json))
        }
    }

    /// The members of an object; none for another kind.
    static func members(of json: JSON) -> [String: PathValue] {
        var members: [String: PathValue] = [:]
        json.forEachMember { key, value in members[key] = PathValue(value) }
        return members
    }

    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// A boolean as iOS reads one (`as? Bool`): JSON's booleans, and the numbers 0 and 1.
    public var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .number(0): false
        case .number(1): true
        default: nil
        }
    }

    /// What this is, for a message: `string "Modal"`.
    var summary: String {
        switch self {
        case .null: "null"
        case .bool: "boolean \(self)"
        case .number: "number \(self)"
        case .string: "string \(self)"
        case .array(let elements): "array of \(elements.count)"
        case .object(let members): "object of \(members.count)"
        }
    }
}

extension PathValue: JSONWritable, CustomStringConvertible {
    /// Members sorted by name, so that equal values print the same.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value): writer.number(value)
        case .string(let value): writer.string(value)
        case .array(let elements): elements.write(to: &writer)
        case .object(let members): PathProperties(members).write(to: &writer)
        }
    }

    /// The value as compact JSON.
    public var description: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.text
    }
}

extension PathValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    public init(nilLiteral: ()) { self = .null }
}

extension PathValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let elements = try? container.decode([PathValue].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: PathValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}
