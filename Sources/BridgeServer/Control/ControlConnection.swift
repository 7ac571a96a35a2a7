import BridgeProtocol

/// A tool on `/control`, and what it waits for.
@MainActor final class ControlConnection {
    let channel: Channel
    /// JSON-RPC errors so far; see `Hub.toleratedErrors`.
    var errors = 0
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var taskCount = 0

    init(channel: Channel) { self.channel = channel }

    /// Runs a call beside others. They begin in order.
    func run(_ call: @escaping @MainActor () async -> Void) {
        taskCount += 1
        let number = taskCount
        tasks[number] = Task { [weak self] in
            await call()
            self?.tasks[number] = nil
        }
    }

    /// The connection is gone: nobody waits any more.
    func close() {
        for task in tasks.values { task.cancel() }
        tasks = [:]
    }
}
