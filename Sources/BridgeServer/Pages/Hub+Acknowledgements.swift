import DequeModule

/// What waits until records are in the log and the database.
struct Acknowledgements {
    private var entries: Deque<(record: Int, action: @MainActor () -> Void)> = []

    /// - Parameter record: the number of a record that is not before those of earlier entries.
    mutating func add(after record: Int, _ action: @escaping @MainActor () -> Void) { entries.append((record, action)) }

    /// Removes and returns the first action, if its record is kept.
    mutating func take(keptThrough record: Int) -> (@MainActor () -> Void)? {
        guard let first = entries.first, first.record <= record else { return nil }
        return entries.removeFirst().action
    }
}

extension Hub {
    /// How long the answer to a call waits for the log, because the call blocks the page.
    private static let answerDelay = Duration.milliseconds(100)
    /// How often an acknowledgement is repeated. A page that receives nothing for 30 seconds connects again.
    private static let repetitionInterval = Duration.seconds(10)

    /// Writes the records of messages, and acknowledges them: at once if their records are kept, otherwise later.
    func flushAndAcknowledge(_ sessions: some Sequence<PageSession>) {
        let record = traffic.lastRecord
        let isKept = keepAll()
        for session in sessions {
            if isKept {
                session.acknowledge(through: session.state.lastSeq)
            } else if let seq = session.state.awaitKeeping() {
                acknowledgements.add(after: record) { session.acknowledge(through: seq) }
                repeatAcknowledgement(to: session)
            }
        }
    }

    /// Calls `respond` when all records so far are kept, with true; or with false if that takes too long.
    func whenKept(_ respond: @escaping @MainActor (Bool) -> Void) {
        let record = traffic.lastRecord
        guard !keepAll() else { return respond(true) }
        let answer = Answer(respond)
        acknowledgements.add(after: record) { answer.give(true) }
        deadlines.schedule(after: Hub.answerDelay) { answer.give(false) }
    }

    /// Does what has waited for the records that are kept now.
    func acknowledgeKept() {
        let record = traffic.keptThrough
        while let action = acknowledgements.take(keptThrough: record) { action() }
    }

    /// Writes all records, and returns whether they are kept now.
    func keepAll() -> Bool {
        let record = traffic.lastRecord
        traffic.flush()
        return traffic.keptThrough >= record
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

/// An answer that is given once.
@MainActor private final class Answer {
    private var respond: (@MainActor (Bool) -> Void)?

    init(_ respond: @escaping @MainActor (Bool) -> Void) { self.respond = respond }

    func give(_ isKept: Bool) { respond.take()?(isKept) }
}
