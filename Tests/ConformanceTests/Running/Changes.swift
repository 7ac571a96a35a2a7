/// Waits for conditions, which it checks again after each change. On the main actor.
@MainActor final class Changes {
    private final class Waiter {
        let isMet: () -> Bool
        var resume: ((Bool) -> Void)?

        init(isMet: @escaping () -> Bool) { self.isMet = isMet }

        func finish(_ met: Bool) {
            resume?(met)
            resume = nil
        }
    }

    private var waiters: [Waiter] = []

    func changed() {
        let met = waiters.filter { $0.isMet() }
        waiters.removeAll { waiter in met.contains { $0 === waiter } }
        for waiter in met { waiter.finish(true) }
    }

    /// - Returns: whether the condition was met in time.
    @discardableResult
    func wait(upTo limit: Duration, until isMet: @escaping () -> Bool) async -> Bool {
        if isMet() { return true }
        let waiter = Waiter(isMet: isMet)
        waiters.append(waiter)
        let alarm = Task { [weak self] in
            try await Task.sleep(for: limit)
            self?.waiters.removeAll { $0 === waiter }
            waiter.finish(false)
        }
        defer { alarm.cancel() }
        return await withCheckedContinuation { continuation in
            waiter.resume = { continuation.resume(returning: $0) }
        }
    }
}

/// A value that is set once, later. On the main actor.
@MainActor final class Later<Value> {
    private(set) var value: Value?
    private let changes = Changes()

    /// Sets the value. Later calls do nothing.
    func set(_ value: Value) {
        guard self.value == nil else { return }
        self.value = value
        changes.changed()
    }

    /// - Returns: the value, or nil if it was not set in time.
    func wait(upTo limit: Duration) async -> Value? {
        await changes.wait(upTo: limit) { self.value != nil }
        return value
    }
}
