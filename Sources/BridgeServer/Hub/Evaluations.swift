public import BridgeProtocol
import DequeModule

/// Gets an evaluation's end, once, on the main actor.
public typealias EvaluationCompletion = @MainActor (Result<ScriptValue, ScriptError>) -> Void

/// Something that native code asked a page to run.
enum Evaluation: Sendable {
    case script(source: String, sourceURL: String?)
    case asyncFunction(body: String, arguments: ScriptValue)
}

/// The evaluations of one page that have no answer yet. Pages answer in order, most of them, so the oldest is looked
/// at first.
@MainActor final class Evaluations {
    struct Pending {
        /// Goes up from one to the next.
        let id: Int
        let evaluation: Evaluation
        let started: ContinuousClock.Instant
        let timeout: Duration
        let completion: EvaluationCompletion

        var deadline: ContinuousClock.Instant { started + timeout }
    }

    /// As many answers are remembered as may come twice: to what was sent again after a break.
    private static let remembered = 256

    private var pending: Deque<Pending> = []
    /// The latest answers, each in the place of the one `remembered` before it.
    private var answered: [Int] = []
    private var answerCount = 0
    /// When somebody will look for what is overdue.
    var nextCheck: ContinuousClock.Instant?

    var isEmpty: Bool { pending.isEmpty }

    /// All that wait, oldest first.
    var inOrder: some Collection<Pending> { pending }

    func add(_ entry: Pending) { pending.append(entry) }

    /// Takes out the evaluation that a response belongs to; nil for one that timed out, or that nobody asked for.
    func take(_ id: Int) -> Pending? {
        if pending.first?.id == id { return pending.popFirst() }
        return pending.firstIndex { $0.id == id }.map { pending.remove(at: $0) }
    }

    /// Keeps in mind that the page has answered.
    func noteAnswer(to id: Int) {
        if answered.count < Evaluations.remembered {
            answered.append(id)
        } else {
            answered[answerCount % Evaluations.remembered] = id
        }
        answerCount += 1
    }

    func isAnswered(_ id: Int) -> Bool { answered.contains(id) }

    /// Those whose time is over, oldest first.
    func overdue(at time: ContinuousClock.Instant) -> [Int] { pending.filter { $0.deadline <= time }.map(\.id) }

    var earliestDeadline: ContinuousClock.Instant? { pending.lazy.map(\.deadline).min() }

    /// All that wait, oldest first, and forgets them.
    func takeAll() -> some Collection<Pending> {
        defer { pending = [] }
        return pending
    }
}
