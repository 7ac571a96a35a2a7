/// `shell.state`
public struct ShellState: ControlMethod {
    public static let name = "shell.state"
    public static let summary = "Answers what the emulated app shows."
    public static let result: JSONLiteral = .type("object")
    public static let errors: [ControlError] = []

    public init(_ params: inout ParamsReader) {}
}

/// `shell.actions`
public struct ListShellActions: ControlMethod {
    public static let name = "shell.actions"
    public static let summary = "Lists what can be done to the emulated app."
    public static let result: JSONLiteral = .schema([
        "actions": .schema(
            arrayOf: .schema(["action": .string, "summary": .string, "required": .strings, "optional": .strings]))
    ])
    public static let errors: [ControlError] = []

    public init(_ params: inout ParamsReader) {}
}

/// `shell.perform`
public struct PerformShellAction: ControlMethod {
    public static let name = "shell.perform"
    public static let summary = "Does what a user of the app would do, and answers the new state."
    public static let result: JSONLiteral = .type("object")
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
