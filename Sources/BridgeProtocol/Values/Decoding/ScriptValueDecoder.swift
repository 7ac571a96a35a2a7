import Foundation

/// A `Decoder` that reads a parsed document in place. See ``ScriptValue/decode(_:userInfo:)``.
///
/// It is a class because `Decodable` types and containers copy it more often than it is made.
final class ScriptValueDecoder: Decoder {
    /// The limit on nested containers, so that neither a deep nor a cyclic value overflows the stack.
    private static let maximumDepth = 512

    /// The value to decode, after following references.
    let value: ScriptValue
    let codingPath: [any CodingKey]
    /// The decoder of the whole value; nil if this is it.
    private let parent: ScriptValueDecoder?
    private let ownUserInfo: [CodingUserInfoKey: any Sendable]
    private let depth: Int
    private let isShared: Bool
    /// The number of values that references may still lead to. It bounds the work: with references to values full of
    /// references, a small message can describe a huge value. Only that of the whole value's decoder is used.
    private var allowance = 1_000_000

    convenience init(root: ScriptValue, userInfo: [CodingUserInfoKey: any Sendable]) {
        self.init(value: root, codingPath: [], in: nil, userInfo, depth: 0, isShared: false)
    }

    private init(
        value: ScriptValue, codingPath: [any CodingKey], in parent: ScriptValueDecoder?,
        _ userInfo: [CodingUserInfoKey: any Sendable], depth: Int, isShared: Bool
    ) {
        self.value = value
        self.codingPath = codingPath
        self.parent = parent
        ownUserInfo = userInfo
        self.depth = depth
        self.isShared = isShared
    }

    private var root: ScriptValueDecoder { parent ?? self }

    var userInfo: [CodingUserInfoKey: Any] { ownUserInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard value.kind == .object else { throw mismatch(Key.self, expected: "object") }
        return KeyedDecodingContainer(ScriptObjectContainer(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard value.kind == .array else { throw mismatch([Any].self, expected: "array") }
        return ScriptArrayContainer(decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    // MARK: For the containers

    /// Makes a decoder for a member or an element, after following its references.
    func child(_ value: ScriptValue, _ key: any CodingKey) throws -> ScriptValueDecoder {
        let path = codingPath + [key]
        guard depth < Self.maximumDepth else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: path,
                    debugDescription: "The value is cyclic, or nested more than \(Self.maximumDepth) levels deep"))
        }
        let isReference = value.types?.kind == .ref
        return ScriptValueDecoder(
            value: try follow(value, at: path), codingPath: path, in: root, ownUserInfo, depth: depth + 1,
            isShared: isShared || isReference)
    }

    /// Decodes a member or an element without making a decoder for it.
    ///
    /// It is inlined into callers that know the type; otherwise the metadata of `T?` would be looked up for each value.
    @inline(__always)
    func scalar<T: ScriptScalar>(_ type: T.Type, _ value: ScriptValue, _ key: any CodingKey) throws -> T {
        if let result = T.read(value) { return result }
        return try child(value, key).scalar(type)
    }

    /// Follows a chain of references to a value. Each leads to an earlier place, so the chain ends.
    private func follow(_ value: ScriptValue, at path: [any CodingKey]) throws -> ScriptValue {
        var value = value
        if isShared { try root.spend(1, at: path) }
        while let target = value.referenceTarget, let next = root.value.resolve(pointer: target) {
            try root.spend(target.tokens.count + 1, at: path)
            value = next
        }
        return value
    }

    private func spend(_ cost: Int, at path: [any CodingKey]) throws {
        allowance -= cost
        guard allowance < 0 else { return }
        throw DecodingError.dataCorrupted(
            .init(codingPath: path, debugDescription: "The value's references lead to too many values"))
    }

    // MARK: The value itself

    func decodeRoot<T: Decodable>(_ type: T.Type) throws -> T { try decode(type) }

    func scalar<T: ScriptScalar>(_ type: T.Type) throws -> T {
        guard let result = T.read(value) else { throw mismatch(type, expected: T.expected) }
        return result
    }

    func mismatch(_ type: any Any.Type, expected: String) -> DecodingError {
        .mismatch(type, expected: expected, found: value, at: codingPath)
    }
}

extension ScriptValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.kind == .null || value.kind == .undefined }

    func decode<T: Decodable & ScriptScalar>(_ type: T.Type) throws -> T { try scalar(type) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if type == Date.self { return try scalar(Date.self, as: type) }
        if type == URL.self { return try scalar(URL.self, as: type) }
        // Foundation also encodes bytes as an array.
        if type == Data.self, value.kind != .array { return try scalar(Data.self, as: type) }
        if type == UUID.self { return try scalar(UUID.self, as: type) }
        if type == Decimal.self { return try scalar(Decimal.self, as: type) }
        do { return try T(from: self) } catch let error as DecodingError {
            throw CaseNames.of(type).flatMap { names(of: error, $0) } ?? error
        }
    }

    /// The error that lists the cases of an enum, if this very value does not fit it.
    private func names(of error: DecodingError, _ cases: String) -> DecodingError? {
        guard error.place.count == codingPath.count else { return nil }
        return .mismatch(Any.self, expected: cases, found: value, at: codingPath)
    }

    static func standalone(_ value: ScriptValue) throws -> ScriptValue {
        try ScriptValueDecoder(root: value, userInfo: [:]).standaloneValue()
    }

    /// The value by itself: what its references lead to is copied in their places.
    func standaloneValue() throws -> ScriptValue {
        guard value.types?.contains(.ref) == true else { return value }
        return try ScriptValueWriter.value { try copy(to: &$0) }
    }

    private func copy(to writer: inout ScriptValueWriter) throws {
        switch value.kind {
        case .object:
            try writer.object { writer in
                try value.json.forEachMember { name, _ in
                    guard let member = value.child(name) else { return }
                    try writer.member(name) { try child(member, NameKey.name(name)).copy(to: &$0) }
                }
            }
        case .array:
            try writer.array(count: value.json.count) { writer, index in
                guard let element = value.child(index: index) else { return }
                try child(element, NameKey.index(index)).copy(to: &writer)
            }
        default: writer.copy(value)
        }
    }

    /// Decodes `S`, which is the same type as `T`. It is not inlined, because few values are of these types.
    @inline(never)
    private func scalar<S: ScriptScalar, T>(_ type: S.Type, as name: T.Type) throws -> T {
        guard let result = try scalar(type) as? T else { throw mismatch(name, expected: "\(name)") }
        return result
    }
}

/// A type that decodes from a single value, without a container.
protocol ScriptScalar {
    /// Returns `nil` if the value is of another kind or does not fit exactly.
    static func read(_ value: ScriptValue) -> Self?
    /// What a body should have, for errors.
    static var expected: String { get }
}

extension ScriptScalar {
    static var expected: String { "\(Self.self)" }
}

extension Bool: ScriptScalar {
    static func read(_ value: ScriptValue) -> Bool? { value.bool }
}

extension String: ScriptScalar {
    static func read(_ value: ScriptValue) -> String? { value.string }
}

extension Double: ScriptScalar {
    static func read(_ value: ScriptValue) -> Double? { value.number }
}

extension Float: ScriptScalar {
    /// Rounds to the nearest `Float`. Returns `nil` for a finite number outside its range.
    static func read(_ value: ScriptValue) -> Float? {
        value.number.flatMap { number in
            let rounded = Float(number)
            return rounded.isInfinite && number.isFinite ? nil : rounded
        }
    }
}

extension FixedWidthInteger {
    static func read(_ value: ScriptValue) -> Self? { value.number.flatMap(Self.init(exactly:)) }
}

extension Int: ScriptScalar {}
extension Int8: ScriptScalar {}
extension Int16: ScriptScalar {}
extension Int32: ScriptScalar {}
extension Int64: ScriptScalar {}
extension UInt: ScriptScalar {}
extension UInt8: ScriptScalar {}
extension UInt16: ScriptScalar {}
extension UInt32: ScriptScalar {}
extension UInt64: ScriptScalar {}

extension Date: ScriptScalar {
    static func read(_ value: ScriptValue) -> Date? { value.date ?? value.string.flatMap(ISO8601.date) }
}

extension URL: ScriptScalar {
    static func read(_ value: ScriptValue) -> URL? { value.string.flatMap { URL(string: $0) } }
}

extension Data: ScriptScalar {
    static var expected: String { "Data in base64" }

    static func read(_ value: ScriptValue) -> Data? { value.string.flatMap { Data(base64Encoded: $0) } }
}

extension UUID: ScriptScalar {
    static func read(_ value: ScriptValue) -> UUID? { value.string.flatMap { UUID(uuidString: $0) } }
}

extension Decimal: ScriptScalar {
    /// Reads the digits that JavaScript prints for the number, so that 0.1 is exactly 0.1, or the digits of a string.
    static func read(_ value: ScriptValue) -> Decimal? {
        let text = value.number.map { $0.isFinite ? "\($0)" : "" } ?? value.string ?? ""
        let characters = "0123456789+-.eE".utf8
        // Foundation would read "12 apples" as 12.
        guard !text.isEmpty, text.utf8.allSatisfy(characters.contains), Double(text) != nil else { return nil }
        return Decimal(string: text)
    }
}

/// Decodes the members of an object. A member that is `undefined` counts as absent.
struct ScriptObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ScriptValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        var keys: [Key] = []
        decoder.value.json.forEachMember { name, _ in
            if let key = Key(stringValue: name), contains(key) { keys.append(key) }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { member(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        try require(key, expected: "a value").kind == .null
    }

    @inline(__always)
    func decode<T: Decodable & ScriptScalar>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.scalar(type, require(key, expected: "\(type)"), key)
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.child(require(key, expected: "\(type)"), key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder.child(require(key, expected: "object"), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.child(require(key, expected: "array"), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        try decoder.child(decoder.value.child("super") ?? .null, NameKey.name("super"))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try decoder.child(member(key) ?? .null, key)
    }

    private func member(_ key: Key) -> ScriptValue? {
        guard let value = decoder.value.child(key.stringValue), value.kind != .undefined else { return nil }
        return value
    }

    private func require(_ key: Key, expected: @autoclosure () -> String) throws -> ScriptValue {
        guard let value = member(key) else { throw DecodingError.missing(key, expected: expected(), at: codingPath) }
        return value
    }
}

/// A coding key: a member's name or an element's index.
enum NameKey: CodingKey {
    case name(String)
    case index(Int)

    init(stringValue: String) { self = .name(stringValue) }

    init(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): String(index)
        }
    }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }
}

/// Decodes the elements of an array, in order.
struct ScriptArrayContainer: UnkeyedDecodingContainer {
    let decoder: ScriptValueDecoder
    let length: Int
    private(set) var currentIndex = 0

    init(decoder: ScriptValueDecoder) {
        self.decoder = decoder
        length = decoder.value.json.count
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { length }
    var isAtEnd: Bool { currentIndex >= length }

    mutating func decodeNil() throws -> Bool {
        let kind = try current(expected: "a value").kind
        guard kind == .null || kind == .undefined else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable & ScriptScalar>(_ type: T.Type) throws -> T {
        let result = try decoder.scalar(type, current(expected: "\(type)"), key)
        currentIndex += 1
        return result
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let result = try decoder.child(current(expected: "\(type)"), key).decode(type)
        currentIndex += 1
        return result
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let result = try decoder.child(current(expected: "object"), key).container(keyedBy: type)
        currentIndex += 1
        return result
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let result = try decoder.child(current(expected: "array"), key).unkeyedContainer()
        currentIndex += 1
        return result
    }

    mutating func superDecoder() throws -> any Decoder {
        let result = try decoder.child(current(expected: "a value"), key)
        currentIndex += 1
        return result
    }

    private var key: NameKey { .index(currentIndex) }

    private func current(expected: @autoclosure () -> String) throws -> ScriptValue {
        guard let value = decoder.value.child(index: currentIndex) else {
            throw DecodingError.valueNotFound(
                Any.self, .init(codingPath + [key], ValueMismatch(expected: expected(), found: "nothing")))
        }
        return value
    }
}

/// The expectation that a value did not meet: the `underlyingError` of the `DecodingError`s of
/// ``ScriptValue/decode(_:userInfo:)``.
public struct ValueMismatch: Error, Equatable, CustomStringConvertible {
    /// The name of a Swift type, `object` or `array`.
    public let expected: String
    /// A summary such as `number 3`, `object with keys a, b`, or `nothing` for a missing key. Long values are cut.
    public let found: String

    public var description: String { "expected \(expected), found \(found)" }
}

extension DecodingError {
    /// The error for a value of the wrong kind, or for `null` or `undefined` in place of a value.
    static func mismatch(
        _ type: any Any.Type, expected: String, found value: ScriptValue, at path: [any CodingKey]
    ) -> DecodingError {
        let context = Context(path, ValueMismatch(expected: expected, found: value.summary))
        switch value.kind {
        case .null, .undefined: return .valueNotFound(type, context)
        default: return .typeMismatch(type, context)
        }
    }

    static func missing(_ key: any CodingKey, expected: String, at path: [any CodingKey]) -> DecodingError {
        .keyNotFound(key, Context(path, ValueMismatch(expected: expected, found: "nothing")))
    }

    /// The place of the value that did not fit.
    var place: [any CodingKey] {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context),
            .keyNotFound(_, let context):
            context.codingPath
        @unknown default: []
        }
    }
}

extension DecodingError.Context {
    init(_ path: [any CodingKey], _ mismatch: ValueMismatch) {
        self.init(codingPath: path, debugDescription: mismatch.description, underlyingError: mismatch)
    }
}

/// The raw values of an enum's cases, for the error about a value that is none of them.
enum CaseNames {
    /// The number of names that an error lists.
    private static let limit = 20

    /// Lists the raw values, such as `one of "plus", "minus"`. Returns nil unless the type is a `CaseIterable` with raw
    /// values.
    static func of(_ type: any Any.Type) -> String? {
        guard type is any RawRepresentable.Type, let cases = type as? any CaseIterable.Type else { return nil }
        let names = names(of: cases)
        return "one of " + names.prefix(limit).joined(separator: ", ") + (names.count > limit ? ", …" : "")
    }

    private static func names<Cases: CaseIterable>(of type: Cases.Type) -> [String] {
        type.allCases.map { value in
            switch (value as? any RawRepresentable)?.rawValue {
            case let text as String: quoted(text)
            case let raw?: "\(raw)"
            case nil: "\(value)"
            }
        }
    }
}
