import BridgeTraffic
import Testing

@testable import Simulation

@MainActor @Suite struct DeadlinesTests {
    private let clock = SimulatedClock()
    private let deadlines: Deadlines

    init() { deadlines = Deadlines(clock: clock) }

    @Test func firesEarlierAction_ifAnotherSchedulesALaterOne() {
        var ran: [String] = []
        deadlines.schedule(after: .milliseconds(10)) { [deadlines] in
            ran.append("first")
            deadlines.schedule(after: .seconds(30)) { ran.append("last") }
        }
        deadlines.schedule(after: .milliseconds(500)) { ran.append("second") }
        clock.advance(by: .milliseconds(10))
        clock.advance(by: .milliseconds(490))
        #expect(ran == ["first", "second"])
        clock.advance(by: .seconds(30))
        #expect(ran == ["first", "second", "last"])
    }

    @Test func doesNotRunActionThatOneBeforeItHasCancelled() {
        var hasRun = false
        let second = deadlines.schedule(after: .milliseconds(2)) { hasRun = true }
        deadlines.schedule(after: .milliseconds(1)) { [deadlines] in deadlines.cancel(second) }
        clock.advance(by: .milliseconds(2))
        #expect(!hasRun)
    }

    @Test func runsActionsOfTheSameTimeInOrder() {
        var ran: [Int] = []
        for number in 0..<50 { deadlines.schedule(after: .seconds(1)) { ran.append(number) } }
        clock.advance(by: .seconds(1))
        #expect(ran == Array(0..<50))
    }

    @Test func returnsToTheLoop_ifAnActionSchedulesItselfForNow() {
        var count = 0
        @MainActor func again() {
            count += 1
            deadlines.schedule(after: .zero, again)
        }
        again()
        clock.advance(by: .zero)
        #expect(count == 2)
    }

    /// Clients wait while actions run.
    @Test func runsActionsThatAreDueTogether_inSeveralTurns() {
        var ran: [Int] = []
        for number in 0..<600 { deadlines.schedule(after: .seconds(1)) { ran.append(number) } }
        clock.advance(by: .seconds(1))
        #expect(ran == Array(0..<256))
        clock.fireTimers()
        clock.fireTimers()
        #expect(ran == Array(0..<600))
    }
}
