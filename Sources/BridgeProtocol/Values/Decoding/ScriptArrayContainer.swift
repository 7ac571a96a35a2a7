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
