import Foundation
import Synchronization

extension ScriptValue {
    /// Encodes a Swift value with Foundation's `JSONEncoder`. A `Date` becomes a JavaScript date, and `Data` becomes
    /// base64. A script value within it stays as it is.
    ///
    /// - Throws: `EncodingError`, also for NaN and the infinities; ``JSONParseError`` beyond 2,048 levels of nesting.
    public init(encoding value: some Encodable) throws {
        let places = TypePlaces()
        let encoder = JSONEncoder()
        encoder.userInfo[.typePlaces] = places
        // Without sorting, the order of keys would differ from run to run.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            places.add(ScriptTypes(kind: .date), at: encoder.codingPath)
            var container = encoder.singleValueContainer()
            try ISO8601.string(date).map { try container.encode($0) } ?? container.encodeNil()
        }
        self.init(json: try JSON.parse(Array(encoder.encode(value))), checked: places.types)
    }
}

extension ScriptValue: Codable {
    /// Decodes any value: with dates, NaN and `undefined` from a page, and plain JSON from elsewhere.
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? ScriptValueDecoder else {
            self.init(try JSONValue(from: decoder))
            return
        }
        self = try decoder.standaloneValue()
    }

    /// Encodes the value. For an encoder other than that of ``init(encoding:)``, a date is a `Date`, and `undefined` and
    /// NaN are nil.
    public func encode(to encoder: any Encoder) throws {
        if types?.contains(.ref) == true { return try ScriptValueDecoder.standalone(self).encode(to: encoder) }
        if let places = encoder.userInfo[.typePlaces] as? TypePlaces {
            if let types { places.add(types, at: encoder.codingPath) }
            return try JSONValue(json).encode(to: encoder)
        }
        switch kind {
        case .array:
            var container = encoder.unkeyedContainer()
            for index in 0..<json.count { try container.encode(child(index: index)) }
        case .object:
            var container = encoder.container(keyedBy: NameKey.self)
            try json.forEachMember { name, _ in try container.encode(child(name), forKey: .name(name)) }
        default:
            var container = encoder.singleValueContainer()
            switch kind {
            case .date: try container.encode(date)
            case .string: try container.encode(string)
            case .number where number?.isFinite == true: try container.encode(number)
            case .bool: try container.encode(bool)
            default: try container.encodeNil()
            }
        }
    }
}

extension CodingUserInfoKey {
    /// The key under which an encoder has the `TypePlaces` that script values add their types to.
    fileprivate static let typePlaces = CodingUserInfoKey("bridged.typePlaces")

    private init(_ name: String) {
        guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("every name makes a key") }
        self = key
    }
}

/// The places at which an encoder met dates, and values with types of their own.
private final class TypePlaces: Sendable {
    private let found = Mutex(ScriptTypes?.none)

    var types: ScriptTypes? { found.withLock { $0 } }

    func add(_ types: ScriptTypes, at path: [any CodingKey]) {
        let tokens = path.map(Self.token)
        found.withLock { found in
            found = found ?? ScriptTypes()
            types.forEach { place, kind in found?.insert(kind, at: (tokens + place.tokens)[...]) }
        }
    }

    /// The key's token in a JSON Pointer: Foundation names the elements of an array `Index 0`, `Index 1`.
    private static func token(_ key: any CodingKey) -> String {
        guard let index = key.intValue, key.stringValue == "Index \(index)" else { return key.stringValue }
        return String(index)
    }
}
