package import BridgeProtocol
import Dispatch

/// The clock of the main actor, and its timers. A simulation has a clock of its own.
@MainActor package protocol LoopClock {
    var now: ContinuousClock.Instant { get }
    /// The wall clock's time.
    var timestamp: Timestamp { get }

    /// Makes a timer, which is not set yet.
    func makeTimer(_ fire: @escaping @MainActor () -> Void) -> any LoopTimer
    /// Runs an action as soon as the code that runs now has returned.
    func soon(_ action: @escaping @MainActor () -> Void)
}

/// A timer that fires once each time that it is set.
@MainActor package protocol LoopTimer {
    /// Sets the timer, in place of the time to which it was set before. It may fire a little late.
    func set(to time: ContinuousClock.Instant)
}

/// The clock of the system, and timers of the main queue.
package struct SystemClock: LoopClock {
    package var now: ContinuousClock.Instant { .now }
    package var timestamp: Timestamp { .now }

    package init() {}

    package func makeTimer(_ fire: @escaping @MainActor () -> Void) -> any LoopTimer {
        let source = DispatchSource.makeTimerSource(queue: .main)
        source.setEventHandler { MainActor.assumeIsolated(fire) }
        source.activate()
        return SystemTimer(source: source)
    }

    package func soon(_ action: @escaping @MainActor () -> Void) {
        Task { action() }
    }
}

private struct SystemTimer: LoopTimer {
    let source: any DispatchSourceTimer

    func set(to time: ContinuousClock.Instant) {
        source.schedule(deadline: .now() + max(0, (time - .now).seconds), leeway: .milliseconds(1))
    }
}
