/// `handlers.list`
public struct ListHandlers: ControlMethod {
    public static let name = "handlers.list"
    public static let summary =
        "Lists the message handlers that pages see, with their stubs and the number of messages for each."
    public static let result: JSONValue = .schema(["handlers": .schema(arrayOf: .shared("Handler"))])

    public init(_ params: inout ParamsReader) {}
}

/// `handlers.stub`
public struct StubHandler: ControlMethod {
    public static let name = "handlers.stub"
    public static let summary = """
        Answers the matching messages in place of a handler, until the stub is removed. If several stubs match, the \
        newest one answers. A handler that is not registered appears in the pages.
        """
    public static let result: JSONValue = .schema(["stub": .string])

    public let handler: String
    public let webView: String?
    public let match: ScriptValue?
    public let reply: StubReply
    public let delay: Duration

    public init(_ params: inout ParamsReader) throws(RPCError) {
        handler = try params.required("handler", .string, "The handler's name in webkit.messageHandlers.")
        webView = try params.optional("webView", .string, "Limits the stub to the pages of this web view.")
        match = try params.optional(
            "match", .any,
            "Limits the stub to bodies that contain this. Objects may have more members; arrays match by element."
        )
        .map { json throws(RPCError) in try ScriptValue(json: json) }
        reply = try params.required(
            "reply", .stubReply,
            "{value} resolves, {error} rejects with that text, {echo: true} resolves with the body, {none: true} drops."
        )
        delay =
            try params.optional("delayMs", .milliseconds, "The time to wait before answering. Default: 0.")
            ?? .zero
        try PageText.check(handler, PageText.handler, at: "/handler")
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
        stub = try params.required("stub", .string, "The id that handlers.stub returned, such as s1.")
    }
}
