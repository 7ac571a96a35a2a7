import BridgeProtocol

/// A list of the tasks that wait for a value. A wait ends when a value is offered that the task accepts, when its time
/// is over, or when the task is cancelled.
@MainActor package final class Waiters<Value: Sendable> {
    private struct Waiter {
        let accepts: (Value) -> Bool
        let deadline: Deadlines.Token
        let continuation: CheckedContinuation<Value?, Never>
    }

    private let deadlines: Deadlines
    private var waiting: [Int: Waiter] = [:]
    private(set) var count = 0

    package var isEmpty: Bool { waiting.isEmpty }

    package init(deadlines: Deadlines) { self.deadlines = deadlines }

    /// Waits for a value.
    /// - Parameter began: is called with the number of the wait, for ``end(_:with:)``.
    /// - Returns: the first offered value for which `accepts` returns true; nil if the time is over or the task is
    ///   cancelled.
    package func next(
        within timeout: Duration, where accepts: @escaping (Value) -> Bool, began: (Int) -> Void = { _ in }
    ) async -> Value? {
        count += 1
        let number = count
        began(number)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: nil) }
                let deadline = deadlines.schedule(after: timeout) { [self] in finish(number, nil) }
                waiting[number] = Waiter(accepts: accepts, deadline: deadline, continuation: continuation)
            }
        } onCancel: {
            Task { @MainActor in self.finish(number, nil) }
        }
    }

    /// Resumes all tasks that accept the value, in the order in which they began to wait.
    package func offer(_ value: Value) {
        guard !waiting.isEmpty else { return }
        end(waiting.filter { $0.value.accepts(value) }.keys, with: value)
    }

    /// Ends waits with a value, in the order in which they began. Some may have ended already.
    func end(_ numbers: some Collection<Int>, with value: Value) {
        for number in numbers.sorted() { finish(number, value) }
    }

    private func finish(_ number: Int, _ value: Value?) {
        guard let waiter = waiting.removeValue(forKey: number) else { return }
        deadlines.cancel(waiter.deadline)
        waiter.continuation.resume(returning: value)
    }
}
