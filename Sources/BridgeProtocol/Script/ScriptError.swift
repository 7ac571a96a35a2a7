/// An exception that a script threw, as the page's engine reported it.
public struct JavaScriptException: Error, Sendable, Equatable, CustomStringConvertible {
    /// The class of the error, such as `TypeError`. Empty if the script threw something else.
    public let name: String
    public let message: String
    /// The line, from 1.
    public let line: Int?
    /// The column, from 1.
    public let column: Int?
    public let sourceURL: String?
    public let stack: String?

    public init(
        name: String = "", message: String, line: Int? = nil, column: Int? = nil, sourceURL: String? = nil,
        stack: String? = nil
    ) {
        self.name = name
        self.message = message
        self.line = line
        self.column = column
        self.sourceURL = sourceURL
        self.stack = stack
    }

    /// The exception as browsers print it: `TypeError: x is not a function (app.js:3:14)`.
    public var description: String {
        let text = name.isEmpty || message.hasPrefix("\(name):") ? message : "\(name): \(message)"
        guard let line else { return text }
        return "\(text) (\(sourceURL ?? "script"):\(line)\(column.map { ":\($0)" } ?? ""))"
    }
}

/// The reason why an evaluation has no value.
public enum ScriptError: Error, Sendable, Equatable {
    case exception(JavaScriptException)
    /// The value cannot cross the bridge, such as a DOM node or a promise. The text is its type, or empty if the page
    /// did not report it.
    case resultTypeUnsupported(String)
    /// No answer came within this time, which is zero if the page did not report it.
    case timedOut(Duration)
    /// The document was left or closed, or its connection was lost for too long. The text is its page id, or empty if
    /// the page did not report it.
    case pageGone(String)
    /// Too many evaluations, or bytes of them, are waiting. The number is the limit, or 0 if it was not reported.
    case queueFull(Int)
    /// Any other error of the page or the daemon.
    case rejected(RPCError)

    /// Reads an error response, whatever is in its data.
    public init(_ error: RPCError) {
        let data = error.data
        switch error.code {
        case .timedOut: self = .timedOut(.milliseconds(data?["timeoutMs"]?.wholeNumber ?? 0))
        case .documentGone: self = .pageGone(data?["page"]?.string ?? "")
        case .javaScriptException: self = .exception(JavaScriptException(message: error.message, data: data))
        case .resultTypeUnsupported: self = .resultTypeUnsupported(data?["type"]?.string ?? "")
        case .queueFull: self = .queueFull(data?["limit"]?.wholeNumber ?? 0)
        default: self = .rejected(RPCError(error.code, error.message))
        }
    }
}

extension ScriptError {
    /// Whether the script ran, and only its result cannot cross the bridge.
    public var isResultType: Bool {
        if case .resultTypeUnsupported = self { true } else { false }
    }
}

extension ScriptError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .exception(let exception): exception.description
        case .resultTypeUnsupported(let type):
            "The script's result can't cross the bridge\(type.isEmpty ? "" : ": it is a \(type)"). "
                + "Return JSON-like values, or end the script with a plain value such as null."
        case .timedOut(let time): "The script gave no result within \(time)."
        case .pageGone(let page): "The page \(page.isEmpty ? "" : page + " ")is gone; its script has no result."
        case .queueFull(let limit): "Too much is waiting for the page: the limit is \(limit)."
        case .rejected(let error): error.description
        }
    }
}

extension ScriptError {
    /// The error object that reports this to a tool (docs/protocol.md, "Errors in results").
    public var rpcError: RPCError {
        switch self {
        case .exception(let exception):
            RPCError(.javaScriptException, exception.message, data: exception.data)
        case .resultTypeUnsupported(let type):
            RPCError(.resultTypeUnsupported, description, data: ["type": .string(type)])
        case .timedOut(let time):
            RPCError(.timedOut, description, data: ["timeoutMs": .number((time / .milliseconds(1)).rounded())])
        case .pageGone(let page): RPCError(.documentGone, description, data: ["page": .string(page)])
        case .queueFull(let limit): RPCError(.queueFull, description, data: ["limit": .number(Double(limit))])
        case .rejected(let error): error
        }
    }
}

extension JavaScriptException {
    fileprivate init(message: String, data: JSONValue?) {
        self.init(
            name: data?["name"]?.string ?? "", message: data?["message"]?.string ?? message,
            line: data?["line"]?.wholeNumber, column: data?["column"]?.wholeNumber,
            sourceURL: data?["sourceURL"]?.string, stack: data?["stack"]?.string)
    }

    fileprivate var data: JSONValue {
        func number(_ value: Int?) -> JSONValue { value.map { .number(Double($0)) } ?? .null }
        func string(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
        return [
            "name": .string(name), "message": .string(message), "line": number(line), "column": number(column),
            "sourceURL": string(sourceURL), "stack": string(stack),
        ]
    }
}
