import BridgeProtocol
import BridgeTraffic

/// A clock that goes on only when a test says so.
@MainActor final class ManualClock: LoopClock {
    private(set) var now = ContinuousClock.now
    private var timers: [ManualTimer] = []

    var timestamp: Timestamp { .now }

    func makeTimer(_ fire: @escaping @MainActor () -> Void) -> any LoopTimer {
        let timer = ManualTimer(fire)
        timers.append(timer)
        return timer
    }

    func soon(_ action: @escaping @MainActor () -> Void) { Task { action() } }

    func advance(by duration: Duration) {
        now += duration
        for timer in timers { timer.fireIfDue(at: now) }
    }
}

@MainActor private final class ManualTimer: LoopTimer {
    private let fire: @MainActor () -> Void
    private var time: ContinuousClock.Instant?

    init(_ fire: @escaping @MainActor () -> Void) { self.fire = fire }

    func set(to time: ContinuousClock.Instant) { self.time = time }

    func fireIfDue(at now: ContinuousClock.Instant) {
        guard let time, time <= now else { return }
        self.time = nil
        fire()
    }
}
