/// `message.post`
public struct PostAsPage: ControlMethod {
    public static let name = "message.post"
    public static let summary = """
        Posts a message as the page would, to the same handlers, and returns the reply if the handler replies.
        """
    /// `record` and `verdict` are present if the handler does not reply.
    public static let result: JSONValue = .schema(
        ["value": [:]], optional: ["types": .type("object"), "record": .integer, "verdict": .shared("Verdict")])
    public static let errors =
        ControlError.addressing + [.documentGone, .noSuchHandler, .handlerRejected]

    public let address: PageAddress
    public let handler: String
    public let body: ScriptValue
    public let timeout: Duration?

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        handler = try params.required("handler", .string, "The handler's name in webkit.messageHandlers.")
        try PageText.check(handler, PageText.handler, at: "/handler")
        body = try params.scriptValue("body", "The message's body.")
        timeout = try params.pageTimeout("The time to wait for a page and then for the reply.", then: "reply")
    }
}
