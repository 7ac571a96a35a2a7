/// A stub's answer to a message.
public enum StubReply: Sendable {
    case value(ScriptValue)
    /// Rejects with this text.
    case error(String)
    /// Resolves with the body of the message.
    case echo
    /// Sends no answer. The message is recorded as handled.
    case none

    /// Whether the stub sends an answer to the page.
    public var answers: Bool {
        if case .none = self { false } else { true }
    }
}

extension StubReply: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .value(let value): value.write(to: &writer, key: "value")
            case .error(let text): writer.member("error", text)
            case .echo: writer.member("echo", true)
            case .none: writer.member("none", true)
            }
        }
    }
}

extension ParamType where Value == StubReply {
    static let stubReply = ParamType(
        [
            "oneOf": [
                .schema(["value": [:]], optional: ["types": .type("object")]),
                .schema(["error": .string]),
                .schema(["echo": ["const": true]]),
                .schema(["none": ["const": true]]),
            ]
        ], expectation: "{value}, {error}, {echo: true} or {none: true}", sample: .none,
        reading: { json, place throws(RPCError) in
            switch (json["value"], json["error"], json["echo"], json["none"]) {
            case (let value?, nil, nil, nil):
                return .value(try ScriptValue(json: value, types: json["types"]))
            case (nil, let error?, nil, nil):
                return .error(try ParamType<String>.string.read(error, place.appending("error")))
            case (nil, nil, let echo?, nil) where echo.bool == true: return .echo
            case (nil, nil, nil, let none?) where none.bool == true: return .none
            default:
                throw .invalidParams(
                    at: place.description,
                    "expected {value}, {error}, {echo: true} or {none: true}, found \(json.summary)")
            }
        })
}
