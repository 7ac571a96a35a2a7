/// `app.state`
public struct AppState: ControlMethod {
    public static let name = "app.state"
    public static let summary = "Returns what the emulated app shows."
    public static let result: JSONValue = .type("object")

    public var subject: CallSubject { .app }

    public init(_ params: inout ParamsReader) {}
}

/// `app.actions`
public struct ListAppActions: ControlMethod {
    public static let name = "app.actions"
    public static let summary = "Lists the actions of the emulated app."
    public static let result: JSONValue = .schema([
        "actions": .schema(
            arrayOf: .schema(["action": .string, "summary": .string, "required": .strings, "optional": .strings]))
    ])

    public var subject: CallSubject { .app }

    public init(_ params: inout ParamsReader) {}
}

/// `app.perform`
public struct PerformAppAction: ControlMethod {
    public static let name = "app.perform"
    public static let summary = "Performs an action of the app's user, and returns the new state and why."
    public static let result: JSONValue = .type("object")

    public let action: String
    /// The arguments of the action: all other members of the params.
    public let arguments: [String: JSON]

    public var subject: CallSubject { .app }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        action = try params.required(
            "action", .string, "The action, such as tapActionButton. Further params are its arguments, such as url.")
        arguments = params.others()
    }
}

/// `app.explain`
public struct ExplainAppURL: ControlMethod {
    public static let name = "app.explain"
    public static let summary = "Says which rules of the path configuration match a URL, and what the app does with it."
    public static let result: JSONValue = .type("object")

    public let url: String

    public var subject: CallSubject { .app }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        url = try params.required("url", .string, "A URL, or a path of the app.")
    }
}

/// `visits.explain`
public struct ExplainVisits: ControlMethod {
    public static let name = "visits.explain"
    public static let summary = """
        Says why the emulated app's latest visits were made: which rules moved the stacks, what made each request, what \
        became of a form's response, and what other releases do from the same screens.
        """
    public static let result: JSONValue = .schema([
        "visits": .schema(
            arrayOf: .schema(
                [
                    "record": .integer, "cause": .string, "why": .strings, "requests": .schema(arrayOf: request),
                    "otherRequests": .integer, "findings": .strings, "elsewhere": .schema(arrayOf: elsewhere),
                ],
                optional: ["before": stacks, "after": stacks, "flash": .string]))
    ])

    private static let stacks: JSONValue = .schema(["main": .strings, "modal": .strings])
    private static let request: JSONValue = .schema(
        ["record": .integer, "method": .string, "url": .string, "because": .string],
        optional: ["status": .integer, "failure": .string])
    private static let elsewhere: JSONValue = .schema([
        "frameworks": .strings, "isSame": .bool, "main": .strings, "modal": .strings, "why": .strings,
    ])

    public let url: String?
    public let last: Int

    public var subject: CallSubject { .app }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        url = try params.optional("url", .string, "Only visits of this URL, or path of the app.")
        last = try params.optional("last", .count, "How many visits, the latest ones. Default: 10.") ?? 10
    }
}
