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
/// like a page that does not read.
@MainActor final class Evaluations {
    struct Pending {
        let evaluation: Evaluation
        let started: ContinuousClock.Instant
        let deadline: Deadlines.Token?
        let completion: EvaluationCompletion
    }

    /// As many answers are remembered as may come twice: to what was sent again after a break.
    private static let remembered = 256
    /// How many may be on their way.
    private static let window = 256

    private var pending: [RequestID: Pending] = [:]
    /// Those that the page has not been sent, oldest first.
    private var unsent: Deque<RequestID> = []
    private var sent: Set<RequestID> = []
    private var answered: [RequestID] = []

    var isEmpty: Bool { pending.isEmpty }
    /// Nothing is on its way.
    var isIdle: Bool { sent.isEmpty }
    var count: Int { pending.count }

    func add(_ id: RequestID, _ entry: Pending) {
        pending[id] = entry
        unsent.append(id)
    }

    /// The evaluation to be sent now, if any: it counts as sent from here on.
    func nextToSend() -> (id: RequestID, evaluation: Evaluation)? {
        while sent.count < Evaluations.window, let id = unsent.popFirst() {
            guard let entry = pending[id] else { continue }
            sent.insert(id)
            return (id, entry.evaluation)
        }
        return nil
    }

    /// The page has a new connection: all that wait are to be sent, in their order.
    func sendAgain() {
        sent = []
        unsent = Deque(inOrder.map(\.id))
    }

    /// Takes out the evaluation that a response belongs to; nil for one that timed out, or that nobody asked for.
    func take(_ id: RequestID) -> Pending? {
        sent.remove(id)
        return pending.removeValue(forKey: id)
    }

    /// Keeps in mind that the page has answered.
    func noteAnswer(to id: RequestID) {
        answered.append(id)
        if answered.count > Evaluations.remembered { answered.removeFirst() }
    }

    func isAnswered(_ id: RequestID) -> Bool { answered.contains(id) }

    /// Oldest first.
    private var inOrder: [(id: RequestID, entry: Pending)] {
        pending.sorted { $0.value.started < $1.value.started }.map { ($0.key, $0.value) }
    }

    /// All that wait, oldest first, and forgets them.
    func takeAll() -> [(id: RequestID, entry: Pending)] {
        defer { (pending, unsent, sent) = ([:], [], []) }
        return inOrder
    }
}
