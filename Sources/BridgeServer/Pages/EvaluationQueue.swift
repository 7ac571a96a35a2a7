public import BridgeProtocol
import DequeModule

/// Receives the result of an evaluation, once, on the main actor.
public typealias EvaluationCompletion = @MainActor (Result<ScriptValue, ScriptError>) -> Void

/// Code that native code runs in a page.
enum Evaluation: Sendable {
    case script(source: String, sourceURL: String?)
    case asyncFunction(body: String, arguments: ScriptValue)
}

/// The evaluations of one page that have no result yet, oldest first.
///
/// The page is sent a limited number at a time, and the next ones as it answers. Otherwise a burst of evaluations would
/// look like a page that does not read. A value without I/O.
struct EvaluationQueue {
    struct Entry {
        /// The id of the request. It is larger than that of every earlier evaluation.
        let id: Int
        let evaluation: Evaluation
        let started: ContinuousClock.Instant
        let timeout: Duration
        let completion: EvaluationCompletion?

        var deadline: ContinuousClock.Instant { started + timeout }
    }

    /// How many evaluations may be in flight.
    private static let window = 256
    /// How many answers are remembered. An evaluation that was sent again after a break may be answered twice.
    private static let answersKept = 256

    /// The first `sentCount` entries are in flight.
    private var entries: Deque<Entry> = []
    private var sentCount = 0
    /// The ids of the latest answers.
    private var answered: Deque<Int> = []

    var isEmpty: Bool { entries.isEmpty }
    var isIdle: Bool { sentCount == 0 }
    var count: Int { entries.count }
    var earliestDeadline: ContinuousClock.Instant? { entries.lazy.map(\.deadline).min() }

    mutating func add(_ entry: Entry) { entries.append(entry) }

    /// The evaluation to send now, if any. From then on it counts as sent.
    mutating func nextToSend() -> (id: Int, evaluation: Evaluation)? {
        guard sentCount < min(EvaluationQueue.window, entries.count) else { return nil }
        let entry = entries[sentCount]
        sentCount += 1
        return (entry.id, entry.evaluation)
    }

    /// Makes every evaluation that waits one to send, because the page has a new connection.
    mutating func sendAgain() { sentCount = 0 }

    /// Removes an evaluation. Nil if it timed out, or if there never was one with this id.
    mutating func remove(_ id: Int) -> Entry? {
        // Most pages answer in order.
        let index = entries.first?.id == id ? 0 : entries.firstIndex { $0.id == id }
        guard let index else { return nil }
        if index < sentCount { sentCount -= 1 }
        return entries.remove(at: index)
    }

    /// Removes all evaluations.
    mutating func removeAll() -> some Collection<Entry> {
        defer { (entries, sentCount) = ([], 0) }
        return entries
    }

    /// Removes the evaluations whose deadlines have passed.
    mutating func removeOverdue(at time: ContinuousClock.Instant) -> [Entry] {
        entries.filter { $0.deadline <= time }.compactMap { remove($0.id) }
    }

    /// Remembers that the page answered an evaluation.
    mutating func noteAnswer(to id: Int) {
        if answered.count == EvaluationQueue.answersKept { answered.removeFirst() }
        answered.append(id)
    }

    func isAnswered(_ id: Int) -> Bool { answered.contains(id) }
}
