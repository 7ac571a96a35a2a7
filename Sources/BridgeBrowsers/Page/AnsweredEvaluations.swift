import BridgeProtocol
import DequeModule

/// The evaluations that run, and the answers to the latest ones that have ended. A daemon that did not get an answer
/// repeats its request.
struct AnsweredEvaluations {
    private static let limit = 512
    private static let byteLimit = 64 << 20
    private var running: Set<RequestID> = []
    private var frames: [RequestID: [UInt8]] = [:]
    private var bytes = 0
    /// The ids of `frames`, the oldest first.
    private var order: Deque<RequestID> = []

    /// Whether an evaluation runs, or its answer is here.
    func contains(_ id: RequestID) -> Bool { running.contains(id) || frames[id] != nil }

    /// The answer to an evaluation; nil as long as it runs.
    subscript(id: RequestID) -> [UInt8]? { frames[id] }

    mutating func begin(_ id: RequestID) { running.insert(id) }

    mutating func finish(_ id: RequestID, _ frame: [UInt8]) {
        guard running.remove(id) != nil else { return }
        frames[id] = frame
        bytes += frame.count
        order.append(id)
        forget()
    }

    /// Forgets the oldest answers if there are too many.
    private mutating func forget() {
        while order.count > AnsweredEvaluations.limit || (bytes > AnsweredEvaluations.byteLimit && order.count > 1) {
            guard let oldest = order.popFirst() else { return }
            bytes -= frames.removeValue(forKey: oldest)?.count ?? 0
        }
    }
}
