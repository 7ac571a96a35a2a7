/// A JSON value that owns its contents, such as the data of an error: `["limit": 1024]`.
///
/// ``JSON`` is the other JSON type: a parsed document, which cannot be changed and is read in place.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    /// The members in the order in which they are written. Names are expected to differ; if two are the same, the
    /// last one counts.
    case object([Member])

    /// A name and a value in an object.
    public struct Member: Sendable, Hashable {
        public let key: String
        public let value: JSONValue

        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// Makes a string, or null for `nil`.
    public init(text: String?) { self = text.map { .string($0) } ?? .null }

    /// Copies a parsed value.
    public init(_ json: JSON) {
        switch json.kind {
        case .null: self = .null
        case .bool: self = .bool(json.bool ?? false)
        case .number: self = .number(json.number ?? 0)
        case .string: self = .string(json.string ?? "")
        case .array: self = .array(json.elements.map(JSONValue.init))
        case .object:
            var members: [Member] = []
            json.forEachMember { members.append(Member($0, JSONValue($1))) }
            self = .object(members)
        }
    }
}

// MARK: Access

extension JSONValue {
    public var isNull: Bool { self == .null }
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var number: Double? { if case .number(let value) = self { value } else { nil } }
    /// The number, if it is whole and small enough for an `Int`.
    public var wholeNumber: Int? { number.flatMap(Int.init(exactly:)) }
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The elements of an array. `nil` for another kind.
    public var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members of an object, in order. `nil` for another kind.
    public var members: [Member]? { if case .object(let members) = self { members } else { nil } }

    /// The member of an object that has this name.
    ///
    /// Assigning `nil` removes the member; a new member is added at the end. Assigning to a value that is not an object
    /// has no effect.
    public subscript(key: String) -> JSONValue? {
        get { members?.last { $0.key == key }?.value }
        set {
            guard case .object(var members) = self else { return }
            let index = members.lastIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index] = Member(key, value)
            case (nil, let value?): members.append(Member(key, value))
            case (_, nil): members.removeAll { $0.key == key }
            }
            self = .object(members)
        }
    }

    /// The element of an array at this index, if the array is long enough.
    public subscript(index: Int) -> JSONValue? {
        guard let elements, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The value's kind and contents, short enough for an error message: `number 3`, `object with keys a, b`.
    public var summary: String { JSON(self).summary }
}

// MARK: Equality

/// Two values are equal if JavaScript could not distinguish them, except that the order of members does not matter. NaN
/// is equal to nothing. Strings are compared by their code points, because Swift's `==` also equates different
/// spellings of "é".
extension JSONValue: Hashable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count && left.sortedByKey.elementsEqual(right.sortedByKey)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members.sortedByKey)
        }
    }
}

extension JSONValue.Member {
    public static func == (left: JSONValue.Member, right: JSONValue.Member) -> Bool {
        left.key.utf8.elementsEqual(right.key.utf8) && left.value == right.value
    }
}

extension [JSONValue.Member] {
    fileprivate var sortedByKey: [JSONValue.Member] { sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }
}

// MARK: Literals and output

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

extension JSONValue: JSONWritable, CustomStringConvertible {
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

    /// The value as compact JSON.
    public var description: String { text }
}

extension JSONValue: Codable {
    /// Decodes any JSON value.
    ///
    /// A page's date becomes its ISO 8601 text; decode a ``ScriptValue`` to keep it a date. From a decoder that is not
    /// this module's, members are sorted by name, because their order is not known.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ScriptValueDecoder {
            self.init(try decoder.standaloneValue().json)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let elements = try? container.decode([JSONValue].self) {
            self = .array(elements)
        } else {
            self = JSONValue(try container.decode([String: JSONValue].self))
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
        case .object(let members):
            try container.encode(Dictionary(members.map { ($0.key, $0.value) }) { $1 })
        }
    }

    /// Makes an object with these members, sorted by name.
    public init(_ members: [String: JSONValue]) {
        self = .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
    }
}
