import BridgeProtocol
import BridgeTraffic

/// A clock that stands still until a step moves it. A timer that is due fires in a later step, or never.
@MainActor final class SimulatedClock: LoopClock {
    private final class Timer: LoopTimer {
        let fire: @MainActor () -> Void
        var time: ContinuousClock.Instant?

        init(_ fire: @escaping @MainActor () -> Void) { self.fire = fire }

        func set(to time: ContinuousClock.Instant) { self.time = time }
    }

    private(set) var now = ContinuousClock.now
    private(set) var timestamp = Timestamp(microseconds: 1_800_000_000_000_000)
    private var timers: [Timer] = []
    private var nextActions: [@MainActor () -> Void] = []

    func makeTimer(_ fire: @escaping @MainActor () -> Void) -> any LoopTimer {
        let timer = Timer(fire)
        timers.append(timer)
        return timer
    }

    func soon(_ action: @escaping @MainActor () -> Void) { nextActions.append(action) }

    func advance(milliseconds: Int) {
        now += .milliseconds(milliseconds)
        timestamp = Timestamp(microseconds: timestamp.microseconds + Int64(milliseconds) * 1_000)
    }

    /// Moves on, and fires each timer that is due once.
    func advance(by duration: Duration) {
        advance(milliseconds: Int(duration.milliseconds))
        fireTimers()
    }

    /// Moves to the time of the next timer. Returns false if no timer is set, or none before `end`.
    func advanceToNextTimer(before end: ContinuousClock.Instant? = nil) -> Bool {
        guard let next = timers.compactMap(\.time).min(), end.map({ next < $0 }) ?? true else { return false }
        if next > now { advance(milliseconds: Int(((next - now) / .milliseconds(1)).rounded(.up))) }
        return true
    }

    func fireTimers() {
        for timer in timers {
            guard let time = timer.time, time <= now else { continue }
            timer.time = nil
            timer.fire()
        }
    }

    /// Runs the actions that wait for the code before them to return. The system calls this after each step.
    func runNextActions() {
        while !nextActions.isEmpty {
            let actions = nextActions
            nextActions = []
            for action in actions { action() }
        }
    }

    /// Forgets the timers and actions of a daemon that was killed.
    func forgetAll() {
        timers = []
        nextActions = []
    }
}
