/// `script.evaluate`
public struct EvaluateScript: ControlMethod {
    public static let name = "script.evaluate"
    public static let summary = "Runs a script in a page, as evaluateJavaScript does, and returns its completion value."
    public static let result: JSONValue = .shared("ScriptValue")
    public static let errors = ControlError.scripting

    public let address: PageAddress
    public let source: String
    public let world: String?
    public let timeout: Duration?

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        source = try params.required("source", .string, "The script.")
        world = try params.world()
        timeout = try params.scriptTimeout()
    }
}

/// `script.callAsync`
public struct CallAsyncFunction: ControlMethod {
    public static let name = "script.callAsync"
    public static let summary =
        "Runs the body of an async function in a page, as callAsyncJavaScript does, and returns its result."
    public static let result: JSONValue = .shared("ScriptValue")
    public static let errors = ControlError.scripting

    public let address: PageAddress
    public let body: String
    public let arguments: ScriptValue
    public let world: String?
    public let timeout: Duration?

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        body = try params.required("body", .string, "The body of an async function, such as: return await f(a).")
        arguments = try params.scriptValue(
            "arguments", .object, "The arguments by name. Default: {}.", default: .emptyObject)
        world = try params.world()
        timeout = try params.scriptTimeout()
    }
}

/// `script.wait`
public struct WaitForCondition: ControlMethod {
    public static let name = "script.wait"
    public static let summary = "Waits until an expression is true in a page, or in the page that replaces it."
    public static let result: JSONValue = .emptyResult
    public static let errors = ControlError.scripting

    public let address: PageAddress
    public let condition: String
    public let timeout: Duration

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        condition = try params.required("condition", .string, "The expression. Promises count by their values.")
        timeout = try params.timeout("The time to wait for a page and the condition.")
    }
}

extension ParamsReader {
    fileprivate mutating func world() throws(RPCError) -> String? {
        let world = try optional(
            "world", .string, "The content world, in a browser that bridged drives. Default: the page's own.")
        try PageText.check(world: world)
        return world
    }

    fileprivate mutating func scriptTimeout() throws(RPCError) -> Duration? {
        try pageTimeout("The time to wait for a page and then for the result.", then: "result")
    }
}
