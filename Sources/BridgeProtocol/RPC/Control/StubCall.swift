/// A call into the page that a stub makes when it answers a message.
public struct StubCall: Sendable {
    public enum Content: Sendable {
        case function(String, [ScriptValue])
        /// A script that is no call of a function with values.
        case script(String)
    }

    public let content: Content
    /// The time after the message.
    public let delay: Duration

    public init(_ content: Content, delay: Duration = .zero) {
        self.content = content
        self.delay = delay
    }

    /// The script that the page runs.
    public var source: String {
        switch content {
        case .function(let function, let arguments): JavaScriptCall(function, arguments: arguments).source
        case .script(let source): source
        }
    }

    /// The same call without a delay.
    package var atOnce: StubCall { StubCall(content) }
}

extension [StubCall] {
    /// The calls until the time of a reply, and those after it.
    package func around(_ delay: Duration) -> (earlier: [StubCall], later: [StubCall]) {
        (filter { $0.delay <= delay }, filter { $0.delay > delay })
    }
}

extension StubCall {
    /// Reads a script. If it is the call of a named function whose arguments are JSON, it becomes one.
    public init(source: String, delay: Duration) {
        var content = Content.script(source)
        if let call = source.wholeMatch(of: /(?s)([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\((.*)\)/),
            let list = try? JSON.parse("[\(call.2)]", .untrusted)
        {
            content = .function(String(call.1), list.elements.map { ScriptValue(json: $0, checked: nil) })
        }
        self.init(content, delay: delay)
    }
}

extension StubCall: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch content {
            case .function(let function, let arguments):
                writer.member("call", function)
                writer.member("with", arguments.map(\.json))
            case .script(let source): writer.member("script", source)
            }
            if delay > .zero { writer.member("delayMs", delay) }
        }
    }
}
