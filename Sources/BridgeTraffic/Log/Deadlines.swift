/// Runs actions at a later time, unless they are cancelled. All actions share one timer.
@MainActor package final class Deadlines {
    package struct Token: Hashable { fileprivate let number: Int }

    private var waiting: [Token: (time: ContinuousClock.Instant, action: @MainActor () -> Void)] = [:]
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
        let token = Token(number: count)
        let time = now + duration
        waiting[token] = (time, action)
        if timerFires.map({ time < $0 }) ?? true { arm(at: time) }
        return token
    }

    /// Cancels an action. The timer still fires, finds nothing to do, and is set again.
    package func cancel(_ token: Token?) {
        if let token { waiting[token] = nil }
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
        let due = waiting.filter { $0.value.time <= now }.sorted { $0.value.time < $1.value.time }
        for (token, _) in due { waiting[token] = nil }
        for (_, entry) in due { entry.action() }
        if timerFires == nil, let next = waiting.values.map(\.time).min() { arm(at: next) }
    }
}
