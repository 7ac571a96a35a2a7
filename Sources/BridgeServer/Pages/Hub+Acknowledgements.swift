import BridgeProtocol

extension Hub {
    /// How often an acknowledgement is repeated. A page that receives nothing for 30 seconds connects again.
    private static let repetitionInterval = Duration.seconds(10)

    /// Writes the records of messages, and acknowledges them: at once if their records are kept, otherwise later.
    func flushAndAcknowledge(_ sessions: some Sequence<PageSession>) {
        let record = traffic.lastRecord
        let isKept = gate.keepAll()
        for session in sessions {
            if isKept {
                session.acknowledge(through: session.state.lastSeq)
            } else if let seq = session.state.awaitKeeping() {
                gate.whenKept(record) { session.acknowledge(through: seq) }
                repeatAcknowledgement(to: session)
            }
        }
    }

    /// Repeats the latest acknowledgement while further ones wait, so that the page knows that its connection works.
    private func repeatAcknowledgement(to session: PageSession) {
        guard !session.repeatsAcknowledgement else { return }
        session.repeatsAcknowledgement = true
        deadlines.schedule(after: Hub.repetitionInterval) { [weak self, weak session] in
            guard let self, let session else { return }
            session.repeatsAcknowledgement = false
            guard session.state.isAwaitingLog else { return }
            session.channel?.send { [seq = session.state.keptSeq] in $0.pageAck(seq: seq) }
            repeatAcknowledgement(to: session)
        }
    }
}
