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
