package import BridgeProtocol

/// The reply to a question of a page's driver. Only the first answer counts. If the reply is deallocated without one,
/// it refuses the load, window or dialog, so that the browser does not wait for ever.
@MainActor package final class DriverReply {
    /// The result of the driver's request.
    package typealias Answer = any JSONObject & Sendable

    private let send: Once<Answer>
    private let refusal: Answer
    private let onRefusal: @MainActor () -> Void

    /// - Parameter onRefusal: called if the reply is deallocated without an answer.
    init(
        refusal: Answer, _ send: @escaping @MainActor (Answer) -> Void,
        onRefusal: @escaping @MainActor () -> Void = {}
    ) {
        self.send = Once(send)
        self.refusal = refusal
        self.onRefusal = onRefusal
    }

    package func answer(_ answer: Answer) { send(answer) }

    /// Allows or cancels a load or a window.
    package func decide(isAllowed: Bool) { answer(NavigationDecision(isAllowed: isAllowed)) }

    /// Refuses the load, window or dialog, unless there was an answer.
    func refuse() {
        guard send.isPending else { return }
        answer(refusal)
        onRefusal()
    }

    isolated deinit { refuse() }
}
