import BridgeProtocol
import Testing

@testable import BridgeTraffic

/// Actions at a later time, by a clock that the test moves.
@MainActor @Suite struct DeadlinesTests {
    @Test func runsActionsInTheOrderOfTheirTimes_withoutCancelledOnes() {
        let clock = ManualClock()
        let deadlines = Deadlines(clock: clock)
        var done: [Int] = []
        let tokens = (0..<1_000).map { number in
            // Each time belongs to ten actions, which run in the order in which they were scheduled.
            deadlines.schedule(after: .seconds(100 - number % 100)) { done.append(number) }
        }
        for (number, token) in tokens.enumerated() where number % 3 != 0 { deadlines.cancel(token) }
        clock.advance(by: .seconds(50))
        let first = (0..<1_000).filter { $0 % 3 == 0 && $0 % 100 >= 50 }
        #expect(done == first.sorted { (-($0 % 100), $0) < (-($1 % 100), $1) })
        clock.advance(by: .seconds(50))
        #expect(done.count == 334)
    }

    @Test func runsAnAction_whichAnotherOneSchedules() {
        let clock = ManualClock()
        let deadlines = Deadlines(clock: clock)
        var done: [String] = []
        deadlines.schedule(after: .seconds(1)) {
            done.append("first")
            deadlines.schedule(after: .seconds(1)) { done.append("second") }
        }
        clock.advance(by: .seconds(1))
        #expect(done == ["first"])
        clock.advance(by: .seconds(1))
        #expect(done == ["first", "second"])
    }
}

@MainActor private final class ManualClock: LoopClock {
    private(set) var now = ContinuousClock.now
    let timestamp = Timestamp.now
    private var timers: [Timer] = []

    func makeTimer(_ fire: @escaping @MainActor () -> Void) -> any LoopTimer {
        let timer = Timer(fire: fire)
        timers.append(timer)
        return timer
    }

    func soon(_ action: @escaping @MainActor () -> Void) { action() }

    func advance(by duration: Duration) {
        now += duration
        for timer in timers { timer.fireIfDue(now) }
    }

    @MainActor private final class Timer: LoopTimer {
        private let fire: @MainActor () -> Void
        private var time: ContinuousClock.Instant?

        init(fire: @escaping @MainActor () -> Void) { self.fire = fire }

        func set(to time: ContinuousClock.Instant) { self.time = time }

        func fireIfDue(_ now: ContinuousClock.Instant) {
            guard let time, time <= now else { return }
            self.time = nil
            fire()
        }
    }
}
