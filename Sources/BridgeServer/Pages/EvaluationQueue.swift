public import BridgeProtocol
import DequeModule

/// Receives the result of an evaluation, once, on the main actor.
public typealias EvaluationCompletion = @MainActor (Result<ScriptValue, ScriptError>) -> Void

/// Code that native code runs in a page.
enum Evaluation: Sendable {
    case script(source: String, sourceURL: String?)
    case asyncFunction(body: String, arguments: ScriptValue)

    /// About how much memory it takes, with what waits for its result.
    var size: Int {
        switch self {
        case .script(let source, let sourceURL): 512 + source.utf8.count + (sourceURL?.utf8.count ?? 0)
        case .asyncFunction(let body, let arguments): 512 + body.utf8.count + arguments.json.memory
        }
    }
}

/// The evaluations of one page that have no result yet, oldest first.
///
/// A limited number of them is sent at a time, and the next ones follow as the page answers. Otherwise the outbox of
/// the connection would fill up, as it does if a page does not read. This type does no I/O.
struct EvaluationQueue {
    struct Entry {
        /// The id of the request. It is larger than that of every earlier evaluation.
        let id: Int
        let evaluation: Evaluation
        let size: Int
        let started: ContinuousClock.Instant
        let timeout: Duration
        let completion: EvaluationCompletion?

        var deadline: ContinuousClock.Instant { started + timeout }
    }

    /// The maximum number of evaluations that have been sent and have no result yet.
    private static let window = 256
    /// The number of answers that are remembered. An evaluation that was sent again on a new connection may be answered
    /// twice, and the second answer is ignored.
    private static let answersKept = 256

    /// The evaluations without a result. The first `sentCount` of them have been sent.
    private var entries: Deque<Entry> = []
    private var sentCount = 0
    /// The ids of the latest answers.
    private var answered: Deque<Int> = []

    var isEmpty: Bool { entries.isEmpty }
    var isIdle: Bool { sentCount == 0 }
    var count: Int { entries.count }
    var earliestDeadline: ContinuousClock.Instant? { entries.lazy.map(\.deadline).min() }

    mutating func add(_ entry: Entry) { entries.append(entry) }

    /// Returns the evaluation to send next and marks it as sent. Returns nil if no evaluation may be sent now.
    mutating func nextToSend() -> (id: Int, evaluation: Evaluation)? {
        guard sentCount < min(EvaluationQueue.window, entries.count) else { return nil }
        let entry = entries[sentCount]
        sentCount += 1
        return (entry.id, entry.evaluation)
    }

    /// Marks all evaluations as not sent, because the page has a new connection.
    mutating func sendAgain() { sentCount = 0 }

    /// Removes an evaluation. Returns nil if it timed out, or if there never was one with this id.
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
