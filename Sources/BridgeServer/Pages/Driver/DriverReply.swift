package import BridgeProtocol

/// The answer to a question of a page's driver. Only the first one counts. If it is released without an answer, the driver
/// gets the usual one, so that the browser does not wait for ever.
@MainActor package final class DriverReply {
    private let usual: JSONValue
    private var send: (@MainActor (JSONValue) -> Void)?

    init(to message: DriverMessage, _ send: @escaping @MainActor (JSONValue) -> Void) {
        self.send = send
        switch message {
        case .dialog: usual = ["confirmed": false]
        default: usual = DriverReply.policy(isAllowed: true)
        }
    }

    package func answer(_ value: JSONValue) { send.take()?(value) }

    /// Allows or cancels a load or a window.
    package func decide(isAllowed: Bool) { answer(DriverReply.policy(isAllowed: isAllowed)) }

    private static func policy(isAllowed: Bool) -> JSONValue { ["policy": .string(isAllowed ? "allow" : "cancel")] }

    isolated deinit { answer(usual) }
}
