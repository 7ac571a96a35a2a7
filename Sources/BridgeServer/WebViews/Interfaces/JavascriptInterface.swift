public import BridgeProtocol

/// A native object whose methods page scripts call **synchronously**, like an object that was passed to Android's
/// `WebView.addJavascriptInterface(object, name)`:
///
/// ```swift
/// var device = JavascriptInterface()
/// device.method("model") { "Pixel 9" }
/// device.method("buy") { (item: String, count: Int) in try shop.buy(item, count) }
/// server.addJavascriptInterface(device, name: "Device")     // the page: Device.buy("tea", 2)
/// ```
///
/// A method runs on the main actor while the page's thread is blocked. It cannot wait for the page: a script that it
/// evaluates there runs after it has returned. An error that it throws becomes an `Error` in the page, except for
/// `DroppedMessage`, which is only recorded as a verdict.
public struct JavascriptInterface: Sendable {
    /// A method whose parameter and result types are erased.
    struct Method: Sendable {
        /// The types of its parameters; nil if it accepts any arguments.
        let parameters: [any JavascriptParameter.Type]?
        let call: @MainActor (ScriptMessageContext, [ScriptValue]) throws -> ScriptValue
        /// Handles the message that the argument holds as JSON text; nil for methods that take no message.
        var handle: (@MainActor (ScriptValue, ScriptMessageContext) -> Verdict)?
    }

    private(set) var methods: [String: Method] = [:]

    public init() {}

    /// The methods' names, sorted.
    public var names: [String] { methods.keys.sorted() }

    /// Adds a method that returns something, or replaces the method with that name.
    public mutating func method<each Parameter: JavascriptParameter, Returned: JavascriptResult>(
        _ name: String, _ body: @escaping @MainActor (repeat each Parameter) throws -> Returned
    ) {
        add(name) { (_: ScriptMessageContext, parameter: repeat each Parameter) in
            try body(repeat each parameter).javascriptValue
        }
    }

    /// Adds a method that returns nothing. The page gets undefined.
    public mutating func method<each Parameter: JavascriptParameter>(
        _ name: String, _ body: @escaping @MainActor (repeat each Parameter) throws -> Void
    ) {
        add(name) { (_: ScriptMessageContext, parameter: repeat each Parameter) in
            try body(repeat each parameter)
            return .undefined
        }
    }

    /// Adds a method whose first argument says which page calls it.
    public mutating func method<each Parameter: JavascriptParameter, Returned: JavascriptResult>(
        _ name: String,
        withContext body: @escaping @MainActor (ScriptMessageContext, repeat each Parameter) throws -> Returned
    ) {
        add(name) { (context: ScriptMessageContext, parameter: repeat each Parameter) in
            try body(context, repeat each parameter).javascriptValue
        }
    }

    /// Adds a method whose first argument says which page calls it, and that returns nothing.
    public mutating func method<each Parameter: JavascriptParameter>(
        _ name: String,
        withContext body: @escaping @MainActor (ScriptMessageContext, repeat each Parameter) throws -> Void
    ) {
        add(name) { (context: ScriptMessageContext, parameter: repeat each Parameter) in
            try body(context, repeat each parameter)
            return .undefined
        }
    }

    /// Adds a method that takes a message as JSON text. The log shows the message instead of the text, as for a message
    /// handler. Tools post to it by the object's name.
    public mutating func message(
        _ name: String, _ handle: @escaping @MainActor (ScriptValue, ScriptMessageContext) -> Verdict
    ) {
        add(name) { (context: ScriptMessageContext, json: String) in
            let verdict = ScriptValue(json: json).map { handle($0, context) } ?? .noMessage(json)
            guard verdict.outcome == .handled else { throw DroppedMessage(verdict) }
            return .undefined
        }
        methods[name]?.handle = handle
    }

    /// Adds a method that accepts any arguments and gives a fixed answer: a value, an exception, its first argument, or
    /// nothing.
    public mutating func stub(_ name: String, _ reply: StubReply) {
        methods[name] = Method(parameters: nil) { _, arguments in try reply.returned(to: arguments) }
    }

    /// Adds methods, or replaces those of the same names.
    mutating func replace(_ others: [String: Method]) { methods.merge(others) { $1 } }

    /// The handler of messages that tools post to the object. It calls the alphabetically first method that takes a
    /// message.
    var messageHandler: MessageHandler? {
        names.lazy.compactMap { methods[$0]?.handle }.first.map(MessageHandler.plain)
    }

    private mutating func add<each Parameter: JavascriptParameter>(
        _ name: String,
        _ body: @escaping @MainActor (ScriptMessageContext, repeat each Parameter) throws -> ScriptValue
    ) {
        var parameters: [any JavascriptParameter.Type] = []
        for parameter in repeat (each Parameter).self { parameters.append(parameter) }
        methods[name] = Method(parameters: parameters) { context, arguments in
            var rest = arguments.enumerated().makeIterator()
            return try body(context, repeat try next(&rest, as: (each Parameter).self))
        }
    }
}

/// Converts the next argument to a parameter.
/// - Throws: `RefusedArgument` if the argument is null and the type is not optional.
private func next<Parameter: JavascriptParameter>(
    _ arguments: inout EnumeratedSequence<[ScriptValue]>.Iterator, as type: Parameter.Type
) throws -> Parameter {
    let (index, value) = arguments.next() ?? (0, .undefined)
    guard let parameter = Parameter(javascript: value) else {
        throw RefusedArgument(index: index, type: Parameter.javascriptType)
    }
    return parameter
}

extension StubReply {
    /// What a method returns that this reply answers.
    func returned(to arguments: [ScriptValue]) throws -> ScriptValue {
        switch self {
        case .value(let value): return value.kind == .null ? .undefined : value
        case .error(let text): throw StubbedException(description: text)
        case .echo: return arguments.first ?? .undefined
        case .none: return .undefined
        }
    }
}

extension Verdict {
    fileprivate static func noMessage(_ text: String) -> Verdict {
        Verdict(
            .dropped, reason: .undecodable, expected: "a message as JSON text", found: text.forText,
            hint: "Call it with JSON.stringify({…}).")
    }
}

/// The exception that a stubbed method throws.
struct StubbedException: Error, CustomStringConvertible {
    let description: String
}

/// The error for a null argument whose parameter is not nullable in Kotlin.
struct RefusedArgument: Error {
    /// The index of the argument, from 0.
    let index: Int
    let type: String
}

extension JavascriptInterface.Method {
    /// The message in the arguments, if the method takes one.
    func message(in arguments: [ScriptValue]) -> ScriptValue? {
        handle == nil ? nil : arguments.first?.string.flatMap { ScriptValue(json: $0) }
    }

    /// `(String, Int)`
    var signature: String { "(\((parameters ?? []).map { $0.javascriptType }.joined(separator: ", ")))" }

    func takes(_ count: Int) -> Bool { parameters.map { $0.count == count } ?? true }

    /// The arguments that lose something in the conversion, with the types of their parameters.
    func coercions(of arguments: [ScriptValue]) -> [(index: Int, value: ScriptValue, type: String)] {
        zip(parameters ?? [], arguments).enumerated().compactMap { index, pair in
            pair.0.javascriptKinds.contains(pair.1.kind) || pair.0.init(javascript: pair.1) == nil
                ? nil : (index, pair.1, pair.0.javascriptType)
        }
    }
}
