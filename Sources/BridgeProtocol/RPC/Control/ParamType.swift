/// The type of a param: its JSON Schema and a function that reads it.
public struct ParamType<Value: Sendable>: Sendable {
    public let schema: JSONValue
    /// The expected value, as an error names it.
    let expectation: String
    /// A value to return when a method only declares its params.
    let sample: Value
    let read: @Sendable (JSON, JSONPointer) throws(RPCError) -> Value

    /// - Parameter read: returns `nil` for a value of another kind.
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
    /// A type that ``ScriptValue/decode(_:userInfo:)`` reads, with the same errors as for a message's body.
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

extension ParamType where Value == [String] {
    public static let strings = decoded(.strings, expectation: "an array of texts", sample: [])
}

extension ParamType where Value == Bool {
    public static let bool = decoded(.type("boolean"), expectation: "Bool", sample: false)
}

extension ParamType where Value == Int {
    public static let integer = decoded(.type("integer"), expectation: "Int", sample: 0)

    /// A whole number from 0 to 2^53, so that adding to it cannot overflow.
    public static let count = ParamType(
        ["type": "integer", "minimum": 0], expectation: "a whole number from 0 to 2^53", sample: 0
    ) { json in
        json.wholeNumber.flatMap { (0...1 << 53).contains($0) ? $0 : nil }
    }

    /// The length of a side of a screen. Browsers make no smaller or larger windows.
    static let length = ParamType(
        ["type": "integer", "minimum": 100, "maximum": 8_192], expectation: "a whole number from 100 to 8192",
        sample: 393
    ) { json in json.wholeNumber.flatMap { (100...8_192).contains($0) ? $0 : nil } }
}

extension ParamType where Value == Double {
    /// A part of a whole.
    static let part = ParamType(
        ["type": "number", "minimum": 0, "maximum": 1], expectation: "a number from 0 to 1", sample: 0.5
    ) { json in json.number.flatMap { (0...1).contains($0) ? $0 : nil } }
}

extension ParamType where Value == Duration {
    private static let millisecondsPerDay = 86_400_000.0

    /// A duration in milliseconds, at most a day.
    public static let milliseconds = ParamType(
        ["type": "number", "minimum": 0, "maximum": .number(millisecondsPerDay)],
        expectation: "milliseconds from 0 to 86400000", sample: .zero
    ) { json in
        json.number.flatMap { (0...millisecondsPerDay).contains($0) ? .milliseconds($0) : nil }
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
    /// Reads one of the raw values of an enumeration.
    ///
    /// - Parameter sample: any of its cases.
    public static func oneOf(_ sample: Value) -> ParamType {
        let names = Value.allCases.map(\.rawValue)
        return ParamType(
            ["type": "string", "enum": .array(names.map(JSONValue.string))],
            expectation: "one of \(names.joined(separator: ", "))", sample: sample
        ) { json in json.string.flatMap(Value.init(rawValue:)) }
    }
}
