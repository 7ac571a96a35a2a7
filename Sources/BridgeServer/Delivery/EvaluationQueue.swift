public import BridgeProtocol
import BridgeTraffic
import DequeModule

/// Receives the result of an evaluation, once, on the main actor.
public typealias EvaluationCompletion = @MainActor (Result<ScriptValue, ScriptError>) -> Void

/// Code that native code runs in a page.
enum Evaluation: Sendable {
    case script(source: String, sourceURL: String?)
    case asyncFunction(body: String, arguments: ScriptValue)
    /// A request to the driver of the page, such as `page.snapshot`. It has no records, because cookies and pictures do
    /// not belong in a log.
    indirect case command(DriverCommand)

    /// About how much memory it takes, together with the code that waits for its result.
    var size: Int {
        switch self {
        case .script(let source, let sourceURL): 512 + source.utf8.count + (sourceURL?.utf8.count ?? 0)
        case .asyncFunction(let body, let arguments): 512 + body.utf8.count + arguments.json.memory
        case .command(.loadHTML(let html, _)): 1_024 + html.utf8.count
        case .command: 1_024
        }
    }

    init(_ program: PageScript.Program) {
        switch program {
        case .script(let source, let sourceURL): self = .script(source: source, sourceURL: sourceURL)
        case .asyncFunction(let body, let arguments): self = .asyncFunction(body: body, arguments: arguments)
        }
    }

    /// The program; nil for a command.
    var program: PageScript.Program? {
        switch self {
        case .script(let source, let sourceURL): .script(source: source, sourceURL: sourceURL)
        case .asyncFunction(let body, let arguments): .asyncFunction(body: body, arguments: arguments)
        case .command: nil
        }
    }

    var isRecorded: Bool { if case .command = self { false } else { true } }
}

/// The evaluations of one page that have no result yet, oldest first.
///
/// A limited number of them is sent at a time, and the next ones follow as the page answers. Otherwise the outbox of
/// the connection would fill up, as it does if a page does not read. This type does no I/O.
struct EvaluationQueue {
    /// It is a class, because a copy of all its members would cost more than the rest of what the queue does.
    final class Entry: Sendable {
        /// The id of the request. It is larger than that of every earlier evaluation.
        let id: Int
        let evaluation: Evaluation
        /// The content world; nil for the page's own.
        let world: String?
        let size: Int
        let started: ContinuousClock.Instant
        let timeout: Duration
        let completion: EvaluationCompletion?

        var deadline: ContinuousClock.Instant { started + timeout }

        init(
            id: Int, evaluation: Evaluation, world: String? = nil, size: Int, started: ContinuousClock.Instant,
            timeout: Duration, completion: EvaluationCompletion?
        ) {
            self.id = id
            self.evaluation = evaluation
            self.world = world
            self.size = size
            self.started = started
            self.timeout = timeout
            self.completion = completion
        }
    }

    /// The maximum number of evaluations that have been sent and have no result yet.
    private static let window = 256
    /// The number of answers whose ids the queue remembers. An evaluation that was sent again on a new connection may
    /// be answered twice, and the second answer is ignored.
    private static let answersKept = 256

    /// The evaluations without a result. The first `sentCount` of them have been sent.
    private var entries: Deque<Entry> = []
    private var sentCount = 0
    /// The id of the last evaluation that may be sent.
    private var allowedID = 0
    /// The ids of the latest answers.
    private var answered: Deque<Int> = []
    /// The next check for overdue evaluations.
    var nextCheck: (time: ContinuousClock.Instant, token: Deadlines.Token)?

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }
    var all: some Sequence<Entry> { entries }
    var earliestDeadline: ContinuousClock.Instant? { entries.lazy.map(\.deadline).min() }

    mutating func add(_ entry: Entry) { entries.append(entry) }

    /// Lets the evaluations up to this id be sent.
    mutating func allow(through id: Int) { allowedID = max(allowedID, id) }

    /// Returns the evaluation to send next and marks it as sent. Returns nil if no evaluation may be sent now.
    /// - Parameter isCrowded: whether so much waits for the page that an evaluation may be sent only if the page would
    ///   otherwise be idle.
    mutating func nextToSend(_ isCrowded: Bool) -> Entry? {
        guard sentCount < min(EvaluationQueue.window, entries.count), sentCount == 0 || !isCrowded,
            entries[sentCount].id <= allowedID
        else { return nil }
        sentCount += 1
        return entries[sentCount - 1]
    }

    /// Marks all evaluations as not sent, because the page has a new connection.
    mutating func sendAgain() { sentCount = 0 }

    /// Removes an evaluation. Returns nil if it timed out, or if there never was one with this id.
    mutating func remove(_ id: Int) -> Entry? {
        // Most pages answer in order, and this is the first one.
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        if index < sentCount { sentCount -= 1 }
        return index == 0 ? entries.removeFirst() : entries.remove(at: index)
    }

    /// Removes an evaluation that the page has answered. Returns nil as `remove` does.
    mutating func removeAnswered(_ id: Int) -> Entry? {
        guard let entry = remove(id) else { return nil }
        noteAnswer(to: id)
        return entry
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
