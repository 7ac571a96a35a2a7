public import BridgeProtocol

/// Gets an evaluation's end, once, on the main actor.
public typealias EvaluationCompletion = @MainActor (Result<ScriptValue, ScriptError>) -> Void

/// Something that native code asked a page to run.
enum Evaluation: Sendable {
    case script(source: String, sourceURL: String?)
    case asyncFunction(body: String, arguments: ScriptValue)
}

/// The evaluations of one page that have no answer yet.
@MainActor final class Evaluations {
    struct Pending {
        let evaluation: Evaluation
        let started: ContinuousClock.Instant
        let deadline: Deadlines.Token?
        let completion: EvaluationCompletion
    }

    /// As many answers are remembered as may come twice: to what was sent again after a break.
    private static let remembered = 256

    private var pending: [RequestID: Pending] = [:]
    private var answered: [RequestID] = []

    var isEmpty: Bool { pending.isEmpty }

    func add(_ id: RequestID, _ entry: Pending) { pending[id] = entry }

    /// Takes out the evaluation that a response belongs to; nil for one that timed out, or that nobody asked for.
    func take(_ id: RequestID) -> Pending? { pending.removeValue(forKey: id) }

    /// Keeps in mind that the page has answered.
    func noteAnswer(to id: RequestID) {
        answered.append(id)
        if answered.count > Evaluations.remembered { answered.removeFirst() }
    }

    func isAnswered(_ id: RequestID) -> Bool { answered.contains(id) }

    /// All that wait, oldest first, and leaves them waiting.
    var inOrder: [(id: RequestID, entry: Pending)] {
        pending.sorted { $0.value.started < $1.value.started }.map { ($0.key, $0.value) }
    }

    /// All that wait, oldest first, and forgets them.
    func takeAll() -> [(id: RequestID, entry: Pending)] {
        defer { pending = [:] }
        return inOrder
    }
}
