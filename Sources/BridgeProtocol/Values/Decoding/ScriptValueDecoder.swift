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
    private let session: DecodingSession
    private let depth: Int
    private let isShared: Bool

    convenience init(root: ScriptValue, userInfo: [CodingUserInfoKey: any Sendable]) {
        self.init(
            value: root, codingPath: [], session: DecodingSession(root: root, userInfo: userInfo), depth: 0,
            isShared: false)
    }

    private init(
        value: ScriptValue, codingPath: [any CodingKey], session: DecodingSession, depth: Int, isShared: Bool
    ) {
        self.value = value
        self.codingPath = codingPath
        self.session = session
        self.depth = depth
        self.isShared = isShared
    }

    var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

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
            value: try follow(value, at: path), codingPath: path, session: session, depth: depth + 1,
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
        if isShared { try session.spend(1, at: path) }
        while let target = value.referenceTarget, let next = session.root.resolve(pointer: target) {
            try session.spend(target.tokens.count + 1, at: path)
            value = next
        }
        return value
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

/// The state that all decoders of one call of ``ScriptValue/decode(_:userInfo:)`` share.
private final class DecodingSession {
    let root: ScriptValue
    let userInfo: [CodingUserInfoKey: any Sendable]
    /// The number of values that references may still lead to. It bounds the work: with references to values full of
    /// references, a small message can describe a huge value.
    private var allowance = 1_000_000

    init(root: ScriptValue, userInfo: [CodingUserInfoKey: any Sendable]) {
        self.root = root
        self.userInfo = userInfo
    }

    func spend(_ cost: Int, at path: [any CodingKey]) throws {
        allowance -= cost
        guard allowance < 0 else { return }
        throw DecodingError.dataCorrupted(
            .init(codingPath: path, debugDescription: "The value's references lead to too many values"))
    }
}
