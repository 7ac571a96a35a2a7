import BridgeProtocol
import BridgeTraffic

/// The connection of a tool on `/control`, with its calls and subscriptions. On the main actor.
@MainActor final class ControlConnection {
    /// The greatest number of subscriptions. Each new record is compared with the filters of all of them.
    nonisolated static let subscriptionLimit = 100

    let channel: Channel
    /// The number of wrong messages since the last correct call; see `Limits.errors`.
    var errors = 0
    /// Whether the daemon has closed the connection. What still arrives on it is ignored.
    var isClosing = false
    var subscriptions: [String: TrafficFollower] = [:]
    private var subscriptionCount = 0
    private var calls: [Int: Task<Void, Never>] = [:]
    private var callCount = 0

    var waitingCalls: Int { calls.count }

    init(channel: Channel) { self.channel = channel }

    /// Runs a call concurrently with others. Calls begin in order.
    func run(_ call: @escaping @MainActor () async -> Void) {
        callCount += 1
        let number = callCount
        calls[number] = Task { [weak self] in
            await call()
            self?.calls[number] = nil
        }
    }

    /// Cancels the calls and subscriptions of the tool.
    func close() {
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
