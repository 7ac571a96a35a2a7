public import BridgeProtocol
import DequeModule

/// Gets an evaluation's end, once, on the main actor.
public typealias EvaluationCompletion = @MainActor (Result<ScriptValue, ScriptError>) -> Void

/// Something that native code asked a page to run.
enum Evaluation: Sendable {
    case script(source: String, sourceURL: String?)
    case asyncFunction(body: String, arguments: ScriptValue)
}

/// The evaluations of one page that have no answer yet.
///
/// The page is sent so many at a time, and the next as it answers: what native code asks for in one go must not look
/// like a page that does not read. Most pages answer in order, so the oldest is looked at first.
@MainActor final class Evaluations {
    struct Pending {
        /// Goes up from one to the next.
        let id: Int
        let evaluation: Evaluation
        let started: ContinuousClock.Instant
        let timeout: Duration
        let completion: EvaluationCompletion?

        var deadline: ContinuousClock.Instant { started + timeout }
    }

    /// As many answers are remembered as may come twice: to what was sent again after a break.
    private static let remembered = 256
    /// How many may be on their way.
    private static let window = 256

    /// Oldest first. The first `sentCount` are on their way.
    @exclusivity(unchecked) private var pending: Deque<Pending> = []
    @exclusivity(unchecked) private var sentCount = 0
    /// The latest answers, each in the place of the one `remembered` before it.
    @exclusivity(unchecked) private var answered: [Int] = []
    @exclusivity(unchecked) private var answerCount = 0
    /// When somebody will look for what is overdue.
    var nextCheck: ContinuousClock.Instant?

    var isEmpty: Bool { pending.isEmpty }
    /// Nothing is on its way.
    var isIdle: Bool { sentCount == 0 }
    var count: Int { pending.count }

    func add(_ entry: Pending) { pending.append(entry) }

    /// The evaluation to be sent now, if any: it counts as sent from here on.
    func nextToSend() -> (id: Int, evaluation: Evaluation)? {
        guard sentCount < min(Evaluations.window, pending.count) else { return nil }
        let entry = pending[sentCount]
        sentCount += 1
        return (entry.id, entry.evaluation)
    }

    /// The page has a new connection: all that wait are to be sent, in their order.
    func sendAgain() { sentCount = 0 }

    /// Takes out the evaluation that a response belongs to; nil for one that timed out, or that nobody asked for.
    func take(_ id: Int) -> Pending? {
        let index = pending.first?.id == id ? 0 : pending.firstIndex { $0.id == id }
        guard let index else { return nil }
        if index < sentCount { sentCount -= 1 }
        return index == 0 ? pending.popFirst() : pending.remove(at: index)
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
        defer { (pending, sentCount) = ([], 0) }
        return pending
    }
}
