public import BridgeProtocol

extension StubReply {
    /// Reads `{value: …}`, `{error: text}`, `{echo: true}` or `{none: true}`. A value may have a table of `types`.
    public init(_ value: YAMLValue) throws(YAMLError) {
        var members = try value.members(["value", "error", "echo", "none", "types"])
        if members["value"] != nil, let types = members.removeValue(forKey: "types") {
            self = .value(try types.scriptValue(members["value"]?.json ?? .null))
            return
        }
        guard members.count == 1, let (key, value) = members.first else {
            throw value.error("Expected one of value, error, echo and none, found \(value.summary).")
        }
        switch key {
        case "value": self = .value(value.scriptValue)
        case "error": self = .error(try value.text())
        case "echo": self = .echo
        default: self = .none
        }
    }
}

extension YAMLValue {
    /// A value with this table of types.
    fileprivate func scriptValue(_ json: JSONValue) throws(YAMLError) -> ScriptValue {
        do throws(RPCError) { return try ScriptValue(json: JSON(json), types: JSON(self.json)) } catch {
            throw self.error("These types do not fit the value: \(error.message)")
        }
    }
}

extension StubReply {
    /// What the initializer reads.
    public var yaml: JSONValue {
        switch self {
        case .value(let value):
            .object(
                [.init("value", JSONValue(value.json))] + (value.types.map { [.init("types", $0.json)] } ?? []))
        case .error(let text): ["error": .string(text)]
        case .echo: ["echo": true]
        case .none: ["none": true]
        }
    }
}

extension StubCall {
    /// Reads `{call: window.bridge.register, with: [token], delay: 20ms}`, or a `script` in place of the function.
    public init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["call", "with", "script", "delay"])
        let delay = try members["delay"]?.duration() ?? .zero
        switch (members["call"], members["script"]) {
        case (let function?, nil):
            let arguments = try members["with"]?.elements().map(\.scriptValue) ?? []
            self.init(.function(try function.text(), arguments), delay: delay)
        case (nil, let script?) where members["with"] == nil:
            self.init(.script(try script.text()), delay: delay)
        default:
            throw value.error(
                expected: "A call needs a function, {call: window.bridge.register, with: [token]}, or a script")
        }
    }

    /// What the initializer reads.
    public var yaml: JSONValue {
        var members: [JSONValue.Member] =
            switch content {
            case .function(let function, let arguments):
                [.init("call", .string(function)), .init("with", .array(arguments.map { JSONValue($0.json) }))]
            case .script(let source): [.init("script", .string(source))]
            }
        if let delay = delay.yaml { members.append(.init("delay", delay)) }
        return .object(members)
    }
}

extension Duration {
    /// A whole number of milliseconds, such as `20ms`; nil for less than one. The longest time is the longest that is read.
    var yaml: JSONValue? {
        let whole = Int(min(milliseconds.rounded(), 1e9))
        return whole > 0 ? .string("\(whole)ms") : nil
    }
}

/// A stub as `bridged.yml` and flows declare it: `{handler: camera, match: {front: true}, reply: {value: cat.jpg}}`.
public struct DeclaredStub: Sendable {
    public let handler: String
    /// Nil for the pages of every web view.
    public let webView: String?
    /// A subset of each body that the stub answers; nil if it answers every body.
    public let match: ScriptValue?
    public let reply: StubReply
    public let delay: Duration
    /// The calls into the page.
    public let calls: [StubCall]

    public init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["handler", "web-view", "match", "reply", "delay", "calls"])
        guard let handler = members["handler"] else { throw value.error(expected: "A stub needs a handler: its name") }
        guard let reply = members["reply"] else {
            throw value.error(
                expected: "A stub needs a reply: {value: …}, {error: text}, {echo: true} or {none: true}")
        }
        self.handler = try handler.text()
        webView = try members["web-view"]?.text()
        match = members["match"]?.scriptValue
        self.reply = try StubReply(reply)
        delay = try members["delay"]?.duration() ?? .zero
        calls = try members["calls"]?.elements().map(StubCall.init) ?? []
    }
}
