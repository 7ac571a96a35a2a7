/// What a param may be: its JSON Schema, and how it is read.
public struct ParamType<Value: Sendable>: Sendable {
    public let schema: JSONValue
    /// As an error says what was expected.
    let expectation: String
    /// Stands for a value where a method only declares its params.
    let sample: Value
    let read: @Sendable (JSON, JSONPointer) throws(RPCError) -> Value

    /// - Parameter read: nil where the value is of another kind.
    init(
        _ schema: JSONValue, expectation: String, sample: Value, read: @escaping @Sendable (JSON) -> Value?
    ) {
        self.init(schema, expectation: expectation, sample: sample) { json, place throws(RPCError) in
            guard let value = read(json) else {
                throw .invalidParams(at: place.description, "expected \(expectation), found \(json.summary)")
            }
            return value
        }
    }

    init(
        _ schema: JSONValue, expectation: String, sample: Value,
        reading read: @escaping @Sendable (JSON, JSONPointer) throws(RPCError) -> Value
    ) {
        self.schema = schema
        self.expectation = expectation
        self.sample = sample
        self.read = read
    }
}

extension ParamType where Value: Decodable {
    /// A type that the decoder of script values reads, with the same errors as a message's body.
    public static func decoded(_ schema: JSONValue, expectation: String, sample: Value) -> ParamType {
        ParamType(
            schema, expectation: expectation, sample: sample,
            reading: { json, place throws(RPCError) in
                try JSON.decodeParams(Value.self, from: json, at: place)
            })
    }
}

extension ParamType where Value == String {
    public static let string = decoded(.type("string"), expectation: "String", sample: "")
}

extension ParamType where Value == Bool {
    public static let bool = decoded(.type("boolean"), expectation: "Bool", sample: false)
}

extension ParamType where Value == Int {
    public static let integer = decoded(.type("integer"), expectation: "Int", sample: 0)

    /// A whole number from 0 on, small enough to add to.
    public static let count = ParamType(
        ["type": "integer", "minimum": 0], expectation: "a whole number from 0 to 2^53", sample: 0
    ) { json in
        json.wholeNumber.flatMap { (0...1 << 53).contains($0) ? $0 : nil }
    }
}

extension ParamType where Value == Duration {
    private static let longestDay = 86_400_000.0

    /// Milliseconds, a day's at most.
    public static let milliseconds = ParamType(
        ["type": "number", "minimum": 0, "maximum": .number(longestDay)],
        expectation: "milliseconds from 0 to 86400000", sample: .zero
    ) { json in
        json.number.flatMap { (0...longestDay).contains($0) ? .milliseconds($0) : nil }
    }
}

extension ParamType where Value == JSON {
    /// Any JSON value.
    public static let any = ParamType([:], expectation: "a value", sample: .null) { $0 }

    public static let object = ParamType(.type("object"), expectation: "an object", sample: .null) {
        $0.kind == .object ? $0 : nil
    }
}

extension ParamType where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of the raw values.
    /// - Parameter sample: any of them.
    public static func oneOf(_ sample: Value) -> ParamType {
        let names = Value.allCases.map(\.rawValue)
        return ParamType(
            ["type": "string", "enum": .array(names.map(JSONValue.string))],
            expectation: "one of \(names.joined(separator: ", "))", sample: sample
        ) { json in json.string.flatMap(Value.init(rawValue:)) }
    }
}
