public import BridgeProtocol
import Foundation

/// The properties of one URL: those of all matching rules, with later rules overriding earlier ones.
///
/// An app may use any keys of its own. ``interpreted(as:_:)`` returns the ones that the framework reads.
public struct PathProperties: Sendable, Hashable {
    public var values: [String: JSONValue]

    public init(_ values: [String: JSONValue] = [:]) { self.values = values }

    /// The members of a JSON object. Empty for any other value.
    public init(_ json: JSON) {
        self.init()
        json.forEachMember { values[$0] = JSONValue($1) }
    }

    public subscript(key: String) -> JSONValue? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// A property of a simple type: `properties["title"] as String?`. `nil` if its value has another type.
    public subscript(key: String) -> String? { values[key]?.string }
    public subscript(key: String) -> Bool? { values[key]?.boolOnIOS }

    /// Adds the properties of a later rule. Whole values are replaced; objects are not merged.
    public mutating func merge(_ later: PathProperties) { values.merge(later.values) { _, new in new } }

    /// Decodes the properties into a type of the app.
    /// - Throws: `DecodingError` if a property is missing or has another type.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: JSONEncoder().encode(self))
    }
}

extension PathProperties: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        values = Dictionary(members) { _, last in last }
    }
}

extension PathProperties: Codable {
    public init(from decoder: any Decoder) throws { values = try [String: JSONValue](from: decoder) }
    public func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}

extension PathProperties: JSONWritable, CustomStringConvertible {
    /// Writes an object with its members sorted by name.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for (key, value) in values.sorted(by: { $0.key < $1.key }) { writer.member(named: key, value) }
        }
    }

    public var description: String { text }
}

extension JSONValue {
    /// The value as `as? Bool` reads it on iOS: a boolean, or the number 0 or 1.
    var boolOnIOS: Bool? {
        switch self {
        case .bool(let value): value
        case .number(0): false
        case .number(1): true
        default: nil
        }
    }
}
