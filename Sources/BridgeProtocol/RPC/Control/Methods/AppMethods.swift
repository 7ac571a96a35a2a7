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
