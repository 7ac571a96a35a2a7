/// `app.state`
public struct AppState: ControlMethod {
    public static let name = "app.state"
    public static let summary = "Answers what the emulated app shows."
    public static let result: JSONValue = .type("object")
    public static let errors: [ControlError] = []

    public init(_ params: inout ParamsReader) {}
}

/// `app.actions`
public struct ListAppActions: ControlMethod {
    public static let name = "app.actions"
    public static let summary = "Lists what can be done to the emulated app."
    public static let result: JSONValue = .schema([
        "actions": .schema(
            arrayOf: .schema(["action": .string, "summary": .string, "required": .strings, "optional": .strings]))
    ])
    public static let errors: [ControlError] = []

    public init(_ params: inout ParamsReader) {}
}

/// `app.perform`
public struct PerformAppAction: ControlMethod {
    public static let name = "app.perform"
    public static let summary = "Does what a user of the app would do, and answers the new state."
    public static let result: JSONValue = .type("object")
    public static let errors: [ControlError] = []

    public let action: String
    /// What came beside the action.
    public let arguments: [String: JSON]

    public init(_ params: inout ParamsReader) throws(RPCError) {
        action = try params.required(
            "action", .string, "Such as tapActionButton; what it takes stands beside it, such as webView or url.")
        arguments = params.others()
    }
}
