/// `message.post`
public struct PostAsPage: ControlMethod {
    public static let name = "message.post"
    public static let summary = """
        Posts a message as the page would, to the same handlers, and answers the reply where the handler replies.
        """
    /// `record` and `verdict` come from a handler that does not reply.
    public static let result: JSONValue = .schema(
        ["value": [:]], optional: ["types": .type("object"), "record": .integer, "verdict": .shared("Verdict")])
    public static let errors =
        ControlError.addressing + [.documentGone, .noSuchHandler, .handlerRejected]

    public let address: PageAddress
    public let handler: String
    public let body: ScriptValue
    public let timeout: Duration?

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        handler = try params.required("handler", .string, "Its name in webkit.messageHandlers.")
        body = try params.scriptValue("body", "What to post.")
        timeout = try params.timeout(
            "How long to wait for the reply, and before that for a page;", default: "30000, and 5000 for a page,")
    }
}
