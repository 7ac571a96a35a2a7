import BridgeProtocol

/// Those who wait for something to happen, each until it does, for some time, or until they are cancelled. On the
/// main actor.
@MainActor package final class Waiters<Value: Sendable> {
    private struct Waiter {
        let accepts: (Value) -> Bool
        let deadline: Deadlines.Token
        let continuation: CheckedContinuation<Value?, Never>
    }

    private let deadlines: Deadlines
    @exclusivity(unchecked) private var waiting: [Int: Waiter] = [:]
    private var count = 0

    var isEmpty: Bool { waiting.isEmpty }

    package init(deadlines: Deadlines) { self.deadlines = deadlines }

    /// The first value offered from now on that `accepts` likes; nil after the time-out, or where the task is
    /// cancelled.
    package func next(within timeout: Duration, where accepts: @escaping (Value) -> Bool) async -> Value? {
        count += 1
        let number = count
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

    /// Ends the wait of all who like it, the longest waiting first.
    package func offer(_ value: Value) {
        guard !waiting.isEmpty else { return }
        let pleased = waiting.filter { $0.value.accepts(value) }.keys.sorted()
        for number in pleased { finish(number, value) }
    }

    private func finish(_ number: Int, _ value: Value?) {
        guard let waiter = waiting.removeValue(forKey: number) else { return }
        deadlines.cancel(waiter.deadline)
        waiter.continuation.resume(returning: value)
    }
}
