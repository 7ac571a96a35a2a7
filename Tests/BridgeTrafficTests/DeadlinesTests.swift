import BridgeProtocol
import BridgeTraffic
import Testing

@MainActor @Suite struct DeadlinesTests {
    private let clock = SteppedClock()
    private let deadlines: Deadlines

    init() { deadlines = Deadlines(clock: clock) }

    @Test func firesEarlierAction_ifAnotherSchedulesALaterOne() {
        var ran: [String] = []
        deadlines.schedule(after: .milliseconds(10)) { [deadlines] in
            ran.append("first")
            deadlines.schedule(after: .seconds(30)) { ran.append("last") }
        }
        deadlines.schedule(after: .milliseconds(500)) { ran.append("second") }
        clock.advance(.milliseconds(10))
        clock.advance(.milliseconds(490))
        #expect(ran == ["first", "second"])
        clock.advance(.seconds(30))
        #expect(ran == ["first", "second", "last"])
    }

    @Test func doesNotRunActionThatOneBeforeItHasCancelled() {
        var hasRun = false
        let second = deadlines.schedule(after: .milliseconds(2)) { hasRun = true }
        deadlines.schedule(after: .milliseconds(1)) { [deadlines] in deadlines.cancel(second) }
        clock.advance(.milliseconds(2))
        #expect(!hasRun)
    }

    @Test func runsActionsOfTheSameTimeInOrder() {
        var ran: [Int] = []
        for number in 0..<50 { deadlines.schedule(after: .seconds(1)) { ran.append(number) } }
        clock.advance(.seconds(1))
        #expect(ran == Array(0..<50))
    }

    @Test func returnsToTheLoop_ifAnActionSchedulesItselfForNow() {
        var count = 0
        @MainActor func again() {
            count += 1
            deadlines.schedule(after: .zero, again)
        }
        again()
        clock.advance(.zero)
        #expect(count == 2)
    }
}

/// A clock that the test moves.
@MainActor private final class SteppedClock: LoopClock {
    private final class Timer: LoopTimer {
        let fire: @MainActor () -> Void
        var time: ContinuousClock.Instant?

        init(_ fire: @escaping @MainActor () -> Void) { self.fire = fire }

        func set(to time: ContinuousClock.Instant) { self.time = time }
    }

    private(set) var now = ContinuousClock.now
    let timestamp = Timestamp(microseconds: 0)
    private var timers: [Timer] = []

    func makeTimer(_ fire: @escaping @MainActor () -> Void) -> any LoopTimer {
        let timer = Timer(fire)
        timers.append(timer)
        return timer
    }

    func soon(_ action: @escaping @MainActor () -> Void) { action() }

    /// Moves the time, and fires each timer whose time has come once.
    func advance(_ duration: Duration) {
        now += duration
        for timer in timers {
            guard let time = timer.time, time <= now else { continue }
            timer.time = nil
            timer.fire()
        }
    }
}
