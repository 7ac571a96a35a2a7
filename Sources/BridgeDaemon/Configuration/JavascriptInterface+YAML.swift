import BridgeProtocol
import BridgeServer
import BridgeYAML

extension JavascriptInterface {
    /// Reads `{model: {value: Pixel 9}, buy: {error: sold out}}`: an object whose methods give fixed answers.
    init(_ value: YAMLValue) throws(YAMLError) {
        self.init()
        for member in try value.orderedMembers() {
            let reply = try StubReply(member.value)
            if case .value(let value) = reply, ![.string, .number, .bool, .null].contains(value.kind) {
                throw member.value.error(
                    "A method returns a string, a number, a boolean or null, not \(value.summary). "
                        + "Give an object as JSON text: value: '{\"a\": 1}'.")
            }
            stub(member.key, reply)
        }
    }
}
