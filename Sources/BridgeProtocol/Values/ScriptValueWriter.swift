public import Foundation
import Synchronization

/// Builds a script value piece by piece, with the `types` that the pieces need.
///
/// ```swift
/// let value = try ScriptValueWriter.value { writer in
///     try writer.object { try $0.member("at") { $0.date(.now) } }
/// }
/// ```
public struct ScriptValueWriter: ~Copyable {
    private var writer = JSONWriter()
    private var types: ScriptTypes?
    private var place = JSONPointer()

    private init() {}

    /// Builds one value.
    ///
    /// - Parameter body: writes exactly one value.
    /// - Throws: the error of `body`, or `JSONParseError` for more than 2,048 levels of nesting.
    public static func value(_ body: (inout ScriptValueWriter) throws -> Void) throws -> ScriptValue {
        var script = ScriptValueWriter()
        try body(&script)
        let json = try script.writer.buffer.withBytes { bytes in try JSON.parse(bytes) }
        return ScriptValue(json: json, checked: script.types)
    }

    /// The number of elements and members begun so far, at any depth.
    public private(set) var placeCount = 0

    /// The number of arrays and objects that are open.
    public var depth: Int { place.tokens.count }

    public mutating func undefined() {
        mark(.undefined)
        writer.null()
    }

    public mutating func null() { writer.null() }

    public mutating func bool(_ value: Bool) { writer.bool(value) }

    /// Writes any double, including NaN, the infinities and negative zero.
    public mutating func number(_ value: Double) {
        guard let name = ScriptNumber.name(of: value) else { return writer.number(value) }
        mark(.number)
        writer.string(name)
    }

    public mutating func string(_ value: String) { writer.string(value) }

    /// Writes a date, to the millisecond. A date outside JavaScript's range becomes an invalid date.
    public mutating func date(_ value: Date) {
        mark(.date)
        ISO8601.string(value).map { writer.string($0) } ?? writer.null()
    }

    /// Writes another script value.
    package mutating func copy(_ value: ScriptValue) {
        let base = place
        value.types?.forEach { place, kind in mark(kind, at: base.tokens + place.tokens) }
        guard value.types?.contains(.ref) == true, !base.tokens.isEmpty else { return writer.json(value.json) }
        writer.write(value, pointersUnder: base)
    }

    /// Writes a reference to an array or object that is still open, which makes a cycle.
    ///
    /// - Parameter levelsUp: 1 for the innermost open array or object.
    public mutating func enclosing(levelsUp: Int) {
        mark(.ref)
        writer.string(JSONPointer(tokens: place.tokens.dropLast(levelsUp)).description)
    }

    /// Writes an array. `body` writes the element at an index.
    public mutating func array(count: Int, _ body: (inout ScriptValueWriter, Int) throws -> Void) throws {
        writer.open("[")
        for index in 0..<count { try at(String(index)) { try body(&$0, index) } }
        writer.close("]")
    }

    /// Writes an object. `body` calls ``member(_:_:)`` for each member.
    public mutating func object(_ body: (inout ScriptValueWriter) throws -> Void) throws {
        writer.open("{")
        try body(&self)
        writer.close("}")
    }

    /// Writes a member of an object. `body` writes its value.
    public mutating func member(_ name: String, _ body: (inout ScriptValueWriter) throws -> Void) throws {
        writer.key(named: name)
        try at(name, body)
    }

    private mutating func at(_ token: String, _ body: (inout ScriptValueWriter) throws -> Void) throws {
        placeCount += 1
        place.tokens.append(token)
        defer { place.tokens.removeLast() }
        try body(&self)
    }

    private mutating func mark(_ kind: ScriptTypes.Kind) { mark(kind, at: place.tokens) }

    private mutating func mark(_ kind: ScriptTypes.Kind, at place: [String]) {
        types = types ?? ScriptTypes()
        types?.insert(kind, at: place[...])
    }
}

extension JSONWriter {
    /// Writes the JSON of a value that becomes a part of a larger one: its references now begin at the larger one.
    fileprivate mutating func write(_ value: ScriptValue, pointersUnder base: JSONPointer) {
        switch value.kind {
        case .reference:
            string(JSONPointer(tokens: base.tokens + (value.referenceTarget?.tokens ?? [])).description)
        case .object:
            object { writer in
                value.json.forEachMember { name, _ in
                    writer.key(named: name)
                    value.child(name).map { writer.write($0, pointersUnder: base) } ?? writer.null()
                }
            }
        case .array:
            array { writer in
                for index in 0..<value.json.count {
                    value.child(index: index).map { writer.write($0, pointersUnder: base) } ?? writer.null()
                }
            }
        default: json(value.json)
        }
    }
}

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
