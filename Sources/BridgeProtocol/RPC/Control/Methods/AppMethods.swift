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
    public static let summary = """
        Performs an action of the app's user, waits for the visit that it begins, and returns the new state and why.
        """
    public static let result: JSONValue = .type("object")

    public let action: String
    /// Whether to wait for the visit before the action, and for its own.
    public let waits: Bool
    /// The arguments of the action: all other members of the params.
    public let arguments: [String: JSON]

    public var subject: CallSubject { .app }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        action = try params.required(
            "action", .string, "The action, such as tapActionButton. Further params are its arguments, such as url.")
        let summary = "false does it during a visit, and returns before its own is over. Default: true."
        waits = try params.optional("wait", .bool, summary) ?? true
        arguments = params.others()
    }
}

/// `app.wait`
public struct WaitForApp: ControlMethod {
    public static let name = "app.wait"
    public static let summary = "Waits until the emulated app's state contains a subset, and returns the state."
    public static let result: JSONValue = .type("object")
    public static let errors: [ControlError] = [.waitTimedOut]

    public let state: ScriptValue
    public let timeout: Duration

    public var subject: CallSubject { .app }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        state = try params.scriptValue("state", .object, "A subset of what app.state returns.", default: .emptyObject)
        timeout = try params.timeout("The time to wait.")
    }
}

/// `app.reset`
public struct ResetApp: ControlMethod {
    public static let name = "app.reset"
    public static let summary = """
        Takes the app back to a fresh install: removes faults, cookies and what pages have stored, and ends it. The next page \
        starts it. Says what it could not clear.
        """
    public static let result: JSONValue = .schema(["notCleared": .strings])

    public var subject: CallSubject { .app }

    public init(_ params: inout ParamsReader) {}
}

/// `components.declare`
public struct DeclareComponents: ControlMethod {
    public static let name = "components.declare"
    public static let summary = "Declares bridge components without Swift, as bridged.yml does under components."
    public static let result: JSONValue = .emptyResult

    public let components: JSON

    public var subject: CallSubject { .app }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        components = try params.required(
            "components", .object, "What each component does for each event, by their names. One replaces another.")
    }
}

/// `components.stub`
public struct StubComponent: ControlMethod {
    public static let name = "components.stub"
    public static let summary = "Answers an event in place of a bridge component, which need not exist."
    public static let result: JSONValue = .emptyResult

    public let component: String
    public let event: String
    public let response: JSON

    public var subject: CallSubject { .app }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        component = try params.required("component", .string, "The component's name, such as form.")
        event = try params.required("event", .string, "The event of the page's messages, such as connect.")
        response = try params.required(
            "response", .any, "What happens, such as {reply: {code: 42}}, or a list for one message after the other.")
    }
}

/// `components.reset`
public struct ResetComponents: ControlMethod {
    public static let name = "components.reset"
    public static let summary = "Takes back what tools and flows have declared and stubbed of bridge components."
    public static let result: JSONValue = .emptyResult

    public var subject: CallSubject { .app }

    public init(_ params: inout ParamsReader) {}
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
