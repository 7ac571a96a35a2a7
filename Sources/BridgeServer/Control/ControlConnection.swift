import BridgeProtocol
import BridgeTraffic

/// The connection of a tool on `/control`, with its calls and subscriptions. On the main actor.
@MainActor final class ControlConnection {
    let channel: Channel
    /// JSON-RPC errors so far; see `Limits.errors`.
    var errors = 0
    var subscriptions: [String: TrafficFollower] = [:]
    private var subscriptionCount = 0
    private var isOpen = true
    private var afterAnswers: [@MainActor () -> Void] = []
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var taskCount = 0

    var waitingCalls: Int { tasks.count }

    init(channel: Channel) { self.channel = channel }

    /// Runs a call concurrently with others. Calls begin in order.
    func run(_ call: @escaping @MainActor () async -> Void) {
        taskCount += 1
        let number = taskCount
        tasks[number] = Task { [weak self] in
            await call()
            self?.tasks[number] = nil
        }
    }

    /// Cancels everything that the tool waits for.
    func close() {
        for task in tasks.values { task.cancel() }
        tasks = [:]
        for subscription in subscriptions.values { subscription.cancel() }
        subscriptions = [:]
        isOpen = false
    }

    /// Makes an id: `t1`, `t2`, …
    func nextSubscription() -> String {
        subscriptionCount += 1
        return "t\(subscriptionCount)"
    }

    /// Runs `action` after the current call's answer has been sent.
    func afterAnswer(_ action: @escaping @MainActor () -> Void) { afterAnswers.append(action) }

    func answered() {
        let actions = afterAnswers
        afterAnswers = []
        guard isOpen else { return }
        for action in actions { action() }
    }
}
