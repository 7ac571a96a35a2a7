/// `handlers.list`
public struct ListHandlers: ControlMethod {
    public static let name = "handlers.list"
    public static let summary =
        "Lists the message handlers that pages see, with their stubs and how often each was posted to."
    public static let result: JSONValue = .schema(["handlers": .schema(arrayOf: .shared("Handler"))])
    public static let errors: [ControlError] = []

    public init(_ params: inout ParamsReader) {}
}

/// `handlers.stub`
public struct StubHandler: ControlMethod {
    public static let name = "handlers.stub"
    public static let summary = """
        Has a canned answer take a handler's place: for the messages that fit, until it is removed. The newest stub that \
        fits answers. A handler that nobody registered appears in the pages.
        """
    public static let result: JSONValue = .schema(["stub": .string])
    public static let errors: [ControlError] = []

    public let handler: String
    public let webView: String?
    public let match: ScriptValue?
    public let reply: StubReply
    public let delay: Duration

    public init(_ params: inout ParamsReader) throws(RPCError) {
        handler = try params.required("handler", .string, "Its name in webkit.messageHandlers.")
        webView = try params.optional("webView", .string, "Only for the pages of that web view.")
        match = try params.optional(
            "match", .any,
            "Only for bodies that contain this: objects by the keys given, arrays element by element."
        )
        .map { json throws(RPCError) in try ScriptValue(json: json) }
        reply = try params.required(
            "reply", .stubReply,
            "{value} resolves, {error} rejects with that text, {echo: true} answers the body, {none: true} swallows.")
        delay =
            try params.optional("delayMs", .milliseconds, "How long to wait before answering; 0 unless told.")
            ?? .zero
        guard !handler.isEmpty else { throw .invalidParams(at: "/handler", "expected a name, found an empty string") }
    }
}

/// `handlers.unstub`
public struct UnstubHandler: ControlMethod {
    public static let name = "handlers.unstub"
    public static let summary = "Removes a stub."
    public static let result: JSONValue = .emptyResult
    public static let errors: [ControlError] = [.noSuchStub]

    public let stub: String

    public init(_ params: inout ParamsReader) throws(RPCError) {
        stub = try params.required("stub", .string, "The id that handlers.stub answered, such as s1.")
    }
}

/// What a stub does with a message.
public enum StubReply: Sendable {
    case value(ScriptValue)
    /// The text of the rejection.
    case error(String)
    /// The body itself.
    case echo
    /// Nothing: the message is swallowed and recorded.
    case none

    /// Whether pages wait for an answer of the stub's.
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
