/// A call of a function in the page: `JavaScriptCall("window.bridge.register", token)`.
public struct JavaScriptCall: Sendable, Equatable, CustomStringConvertible {
    /// The call as script, such as `window.bridge.register("abc")`.
    ///
    /// Whatever the arguments hold, they can't end their literal, the script element or an attribute that it stands in.
    public let source: String

    /// - Parameters:
    ///   - function: script that names the function. It is taken as it is: never build it from what a page sent.
    ///   - arguments: `nil` becomes `null`.
    public init(_ function: String, _ arguments: (any JavaScriptConvertible)?...) {
        self.init(function, arguments: arguments)
    }

    /// See ``init(_:_:)``.
    public init(_ function: String, arguments: [(any JavaScriptConvertible)?]) {
        var writer = JSONWriter(escaping: .html)
        for argument in arguments {
            if let argument { argument.writeJavaScript(to: &writer) } else { writer.null() }
        }
        source = "\(function)(\(writer.text))"
    }

    public var description: String { source }
}
