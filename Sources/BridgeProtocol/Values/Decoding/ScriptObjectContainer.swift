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
