public import BridgeProtocol

extension StubReply {
    /// Reads `{value: …}`, `{error: text}`, `{echo: true}` or `{none: true}`.
    public init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["value", "error", "echo", "none"])
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

/// A stub as `bridged.yml` and flows declare it: `{handler: camera, match: {front: true}, reply: {value: cat.jpg}}`.
public struct DeclaredStub: Sendable {
    public let handler: String
    /// Nil for the pages of every web view.
    public let webView: String?
    /// A subset of each body that the stub answers; nil if it answers every body.
    public let match: ScriptValue?
    public let reply: StubReply
    public let delay: Duration

    public init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["handler", "web-view", "match", "reply", "delay"])
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
    }
}
