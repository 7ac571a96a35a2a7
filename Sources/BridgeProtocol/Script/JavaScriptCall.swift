/// A call of a function in the page: `JavaScriptCall("window.bridge.register", token)`.
public struct JavaScriptCall: Sendable, Equatable, CustomStringConvertible {
    /// The call as a script, such as `window.bridge.register("abc")`.
    ///
    /// Arguments are escaped, so that no text in them can end its literal or the script element or attribute around it.
    public let source: String

    /// - Parameters:
    ///   - function: a script that names the function. It is not escaped: never build it from text that a page sent.
    ///   - arguments: the values to pass. `nil` becomes `null`.
    public init(_ function: String, _ arguments: (any JavaScriptConvertible)?...) {
        self.init(function, arguments: arguments)
    }

    /// See ``init(_:_:)``.
    public init(_ function: String, arguments: [(any JavaScriptConvertible)?]) {
        var writer = JSONWriter(escaping: .html)
        writer.buffer.append(contentsOf: function.utf8)
        writer.buffer.append(UInt8(ascii: "("))
        for argument in arguments {
            if let argument { argument.writeJavaScript(to: &writer) } else { writer.null() }
        }
        writer.buffer.append(UInt8(ascii: ")"))
        source = writer.text
    }

    public var description: String { source }
}
