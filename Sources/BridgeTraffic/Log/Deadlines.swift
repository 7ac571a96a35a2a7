import HeapModule

/// Runs actions at a later time, unless they are cancelled. All actions share one timer.
@MainActor package final class Deadlines {
    package struct Token: Hashable { fileprivate let number: Int }

    private struct Entry: Comparable {
        let time: ContinuousClock.Instant
        let number: Int

        static func < (one: Entry, other: Entry) -> Bool { (one.time, one.number) < (other.time, other.number) }
    }

    /// The times of all actions. It may hold some that were cancelled.
    private var times = Heap<Entry>()
    private var actions: [Int: @MainActor () -> Void] = [:]
    private var count = 0
    private let clock: any LoopClock
    private var timer: (any LoopTimer)?
    private var timerFires: ContinuousClock.Instant?

    /// The time by which actions are scheduled.
    package var now: ContinuousClock.Instant { clock.now }

    package init(clock: any LoopClock) { self.clock = clock }

    @discardableResult
    package func schedule(after duration: Duration, _ action: @escaping @MainActor () -> Void) -> Token {
        count += 1
        let time = now + duration
        times.insert(Entry(time: time, number: count))
        actions[count] = action
        if timerFires.map({ time < $0 }) ?? true { arm(at: time) }
        return Token(number: count)
    }

    /// Cancels an action. The timer still fires, finds nothing to do, and is set again.
    package func cancel(_ token: Token?) {
        guard let token, actions.removeValue(forKey: token.number) != nil else { return }
        guard times.count > 2 * actions.count + 64 else { return }
        times = Heap(times.unordered.filter { actions[$0.number] != nil })
    }

    private func arm(at time: ContinuousClock.Instant) {
        let timer = self.timer ?? clock.makeTimer { [weak self] in self?.fire() }
        self.timer = timer
        timerFires = time
        timer.set(to: time)
    }

    private func fire() {
        let now = now
        timerFires = nil
        var due: [@MainActor () -> Void] = []
        while let entry = times.min, entry.time <= now || actions[entry.number] == nil {
            times.removeMin()
            if let action = actions.removeValue(forKey: entry.number) { due.append(action) }
        }
        for action in due { action() }
        if timerFires == nil, let next = times.min { arm(at: next.time) }
    }
}
