import BridgeProtocol
import BridgeTraffic
import DequeModule

/// The connection of a tool on `/control`, with its calls and subscriptions. On the main actor.
@MainActor final class ControlConnection {
    /// The greatest number of subscriptions. Each new record is compared with the filters of all of them.
    nonisolated static let subscriptionLimit = 100
    /// How often to look whether the tool has read more.
    private static let checkInterval = Duration.milliseconds(20)

    let channel: Channel
    /// The searches of the tool run one at a time, so that each finds out whether the answers before it left room.
    let searches = TaskQueue()
    /// The number of wrong messages since the last correct call; see `Limits.errors`.
    var errors = 0
    /// Whether the daemon has closed the connection. What still arrives on it is ignored.
    var isClosing = false
    var subscriptions: [String: TrafficFollower] = [:]
    private var subscriptionCount = 0
    private var calls: [Int: Task<Void, Never>] = [:]
    private var callCount = 0
    /// The calls that begin when the tool has read more of its answers, in order.
    private var heldCalls: Deque<CheckedContinuation<Void, Never>> = []
    /// Whether a held call was resumed, and has not run yet.
    private var isBeginning = false
    private var isWatching = false
    private let deadlines: Deadlines

    var waitingCalls: Int { calls.count }

    init(channel: Channel, _ deadlines: Deadlines) { (self.channel, self.deadlines) = (channel, deadlines) }

    /// Runs a call concurrently with others. Calls begin in order.
    func run(_ call: @escaping @MainActor () async -> Void) {
        callCount += 1
        let number = callCount
        calls[number] = Task { [weak self] in
            await call()
            self?.calls[number] = nil
        }
    }

    /// Waits until there is room for an answer, in the order of the calls. A batch of large queries is answered as the
    /// tool reads. Otherwise all its answers would be in memory at once.
    /// - Throws: `RPCError` if the connection has closed meanwhile.
    func waitForRoom() async throws(RPCError) {
        guard !Task.isCancelled else { throw ControlConnection.hasClosed }
        guard channel.isFull || isBeginning || !heldCalls.isEmpty else { return }
        await withCheckedContinuation {
            heldCalls.append($0)
            watch()
        }
        isBeginning = false
        // The next call begins after this one, which may wait for something before it answers.
        if !heldCalls.isEmpty { deadlines.schedule(after: .zero) { [weak self] in self?.beginHeldCall() } }
        guard !Task.isCancelled else { throw ControlConnection.hasClosed }
    }

    private static var hasClosed: RPCError { .invalidRequest("the connection has closed") }

    /// Begins the first call that waits for room, if there is some now.
    func beginHeldCall() {
        guard !isBeginning, !channel.isFull, let call = heldCalls.popFirst() else { return }
        isBeginning = true
        call.resume()
    }

    /// Looks again and again whether the tool has read more, as long as calls wait for that.
    private func watch() {
        guard !isWatching, !heldCalls.isEmpty else { return }
        isWatching = true
        deadlines.schedule(after: ControlConnection.checkInterval) { [weak self] in
            guard let self else { return }
            isWatching = false
            beginHeldCall()
            watch()
        }
    }

    /// Cancels the calls and subscriptions of the tool.
    func close() {
        for call in heldCalls { call.resume() }
        heldCalls = []
        for call in calls.values { call.cancel() }
        calls = [:]
        for subscription in subscriptions.values { subscription.cancel() }
        subscriptions = [:]
    }

    /// Makes the id of a new subscription: `t1`, `t2`, …
    func nextSubscription() -> String {
        subscriptionCount += 1
        return "t\(subscriptionCount)"
    }
}
