import DequeModule

/// Lets one task at a time do something, in the order in which they asked. On the main actor.
@MainActor final class TaskQueue {
    private var isBusy = false
    private var waiting: Deque<CheckedContinuation<Void, Never>> = []

    /// Waits until the tasks before this one have called ``end()``.
    func begin() async {
        guard isBusy else { return isBusy = true }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Lets the next task begin. It does so after this one has given way.
    func end() {
        guard let next = waiting.popFirst() else { return isBusy = false }
        next.resume()
    }
}
