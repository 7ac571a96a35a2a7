package import BridgeProtocol

/// The reply to a question of a page's driver. Only the first answer counts. If the reply is deallocated without one,
/// it refuses the load, window or dialog, so that the browser does not wait for ever.
@MainActor package final class DriverReply {
    private let send: Once<JSONValue>
    private let refusal: JSONValue
    private let onRefusal: @MainActor () -> Void

    /// - Parameter onRefusal: called if the reply is deallocated without an answer.
    init(
        refusal: JSONValue, _ send: @escaping @MainActor (JSONValue) -> Void,
        onRefusal: @escaping @MainActor () -> Void = {}
    ) {
        self.send = Once(send)
        self.refusal = refusal
        self.onRefusal = onRefusal
    }

    package func answer(_ value: JSONValue) { send(value) }

    /// Allows or cancels a load or a window.
    package func decide(isAllowed: Bool) { answer(DriverReply.policy(isAllowed: isAllowed)) }

    static func policy(isAllowed: Bool) -> JSONValue { ["policy": .string(isAllowed ? "allow" : "cancel")] }

    /// Refuses the load, window or dialog, unless there was an answer.
    func refuse() {
        guard send.isPending else { return }
        answer(refusal)
        onRefusal()
    }

    isolated deinit { refuse() }
}
