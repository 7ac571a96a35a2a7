import HeapModule

/// Runs actions at a later time, in the order of their times, unless they are cancelled. All actions share one timer.
@MainActor package final class Deadlines {
    package struct Token: Hashable { fileprivate let number: Int }

    private struct Entry: Comparable {
        let time: ContinuousClock.Instant
        let number: Int

        static func < (left: Entry, right: Entry) -> Bool { (left.time, left.number) < (right.time, right.number) }
    }

    /// The times of all actions, and of some that were cancelled.
    private var times = Heap<Entry>()
    private var actions: [Int: @MainActor () -> Void] = [:]
    private var count = 0
    private let clock: any LoopClock
    private var timer: (any LoopTimer)?
    /// The time to which the timer is set; nil if it is not set.
    private var fireTime: ContinuousClock.Instant?

    /// The time by which actions are scheduled.
    package var now: ContinuousClock.Instant { clock.now }

    package init(clock: any LoopClock) { self.clock = clock }

    @discardableResult
    package func schedule(after duration: Duration, _ action: @escaping @MainActor () -> Void) -> Token {
        count += 1
        actions[count] = action
        times.insert(Entry(time: now + duration, number: count))
        setTimer()
        return Token(number: count)
    }

    /// Cancels an action. The timer still fires, finds nothing to do, and is set again.
    package func cancel(_ token: Token?) {
        guard let token else { return }
        actions[token.number] = nil
        // A heap finds an entry only by looking at all, so cancelled times are removed when they are most of them.
        guard times.count > 2 * actions.count + 64 else { return }
        times = Heap(times.unordered.filter { actions[$0.number] != nil })
    }

    /// Sets the timer to the earliest time, unless it fires before that.
    private func setTimer() {
        guard let time = times.min?.time, fireTime.map({ time < $0 }) ?? true else { return }
        let timer = self.timer ?? clock.makeTimer { [weak self] in self?.fire() }
        self.timer = timer
        fireTime = time
        timer.set(to: time)
    }

    /// How many actions run in one turn. The others wait for the next one, because clients wait meanwhile.
    private static let actionsAtOnce = 256

    private func fire() {
        fireTime = nil
        let now = now
        // An action that is scheduled meanwhile waits for the timer, even if its time has come.
        let last = count
        var left = Deadlines.actionsAtOnce
        while left > 0, let next = times.min, next.time <= now, next.number <= last {
            times.removeMin()
            guard let action = actions.removeValue(forKey: next.number) else { continue }
            left -= 1
            action()
        }
        setTimer()
    }
}
