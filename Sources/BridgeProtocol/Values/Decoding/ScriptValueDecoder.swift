#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A `Decoder` straight over a parsed tree. See ``ScriptValue/decode(_:userInfo:)``.
///
/// A class, because `Decodable` types and containers hand it on more often than it is made.
final class ScriptValueDecoder: Decoder {
    /// Levels of containers, so that neither a deep nor a cyclic value overflows the stack.
    private static let maximumDepth = 512

    /// The value here, references followed.
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

    /// A decoder of a member or element, its references followed.
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

    /// Decodes a member or element that needs no decoder of its own.
    ///
    /// Inlined into what calls it with a type that is known there: else `T?` would be looked up for each value.
    @inline(__always)
    func scalar<T: ScriptScalar>(_ type: T.Type, _ value: ScriptValue, _ key: any CodingKey) throws -> T {
        if let result = T.read(value) { return result }
        return try child(value, key).scalar(type)
    }

    /// The object or other value that a chain of references leads to; each leads to an earlier place.
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
        guard let result = T.read(value) else { throw mismatch(type, expected: "\(type)") }
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
        return try T(from: self)
    }

    /// Two names of one type. Not inlined, for the reason that the other is: few values are of these types.
    @inline(never)
    private func scalar<S: ScriptScalar, T>(_ type: S.Type, as name: T.Type) throws -> T {
        guard let result = try scalar(type) as? T else { throw mismatch(name, expected: "\(name)") }
        return result
    }
}

/// What all decoders of one value share. It stays within one call of ``ScriptValue/decode(_:userInfo:)``.
private final class DecodingSession {
    let root: ScriptValue
    let userInfo: [CodingUserInfoKey: any Sendable]
    /// References to values full of references make a small message mean a huge value; this bounds the work.
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
