/// An error that a control method may return (docs/protocol.md, "Errors in results").
public struct ControlError: Sendable, Equatable {
    public let code: RPCError.Code
    public let meaning: String
    /// The JSON Schema of the error's data, or `nil` if it has no data.
    public let data: JSONValue?

    private init(_ code: RPCError.Code, _ meaning: String, data: JSONValue? = nil) {
        self.code = code
        self.meaning = meaning
        self.data = data
    }

    public static let evaluationTimedOut = ControlError(
        .timedOut, "The script gave no result in time", data: .schema(["timeoutMs": .number]))
    public static let documentGone = ControlError(
        .documentGone, "The document is gone", data: .schema(["page": .string]))
    public static let javaScriptException = ControlError(
        .javaScriptException, "A JavaScript exception",
        data: .schema(
            ["name": .string, "message": .string],
            optional: ["line": [:], "column": [:], "sourceURL": [:], "stack": [:]]))
    public static let resultTypeUnsupported = ControlError(
        .resultTypeUnsupported, "The result's type can't cross", data: .schema(["type": .string]))
    public static let noSuchHandler = ControlError(
        .noSuchHandler, "No such handler", data: .schema(["handler": .string, "handlers": .strings]))
    public static let noSuchPage = ControlError(
        .noSuchPage, "No such page", data: .schema(["page": .string, "pages": .strings]))
    public static let handlerRejected = ControlError(
        .handlerRejected, "A handler rejected, or could not use the message", data: [:])
    public static let waitTimedOut = ControlError(
        .waitTimedOut, "A wait timed out", data: .schema(["timeoutMs": .number]))
    public static let noSuchStub = ControlError(.invalidParams, "No such stub", data: .schema(["stubs": .strings]))
    public static let noSuchFault = ControlError(.invalidParams, "No such fault", data: .schema(["faults": .strings]))
    public static let noSuchSubscription = ControlError(
        .invalidParams, "No such subscription on this connection", data: .schema(["subscriptions": .strings]))
    public static let queueFull = ControlError(
        .queueFull, "Too much is waiting", data: .schema(["limit": .integer]))

    /// The errors of every method that addresses a page.
    public static let addressing: [ControlError] = [.noSuchPage, .waitTimedOut]
    /// The errors of every method that runs a script.
    public static let scripting: [ControlError] =
        addressing + [.evaluationTimedOut, .documentGone, .javaScriptException, .resultTypeUnsupported, .queueFull]
}
