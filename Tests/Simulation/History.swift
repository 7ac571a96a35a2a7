/// The steps of a simulation, which follow from a seed, and the promise that they break.
struct History: Sendable {
    let seed: UInt64
    var steps: [Step]
    let violation: Violation

    /// Runs a simulation until a promise is broken.
    /// - Parameter steps: how many steps to take; nil for as many as the seed says.
    /// - Returns: the number of steps taken, and the history if a promise was broken.
    @MainActor static func run(
        seed: UInt64, steps count: Int? = nil, mistake: Mistake? = nil, show: ((String) -> Void)? = nil
    ) -> (Int, History?) {
        var random = RandomNumbers(seed: seed)
        let system = SimulatedSystem(Settings(using: &random), mistake: mistake)
        let count = count ?? system.settings.steps
        defer { system.end() }
        system.invariants.show = show
        var steps: [Step] = []
        steps.reserveCapacity(count)
        while steps.count < count, system.invariants.violation == nil {
            let step = system.settings.mix.step(using: &random)
            steps.append(step)
            system.perform(step)
        }
        let violation = system.violationAtRest
        return (steps.count, violation.map { History(seed: seed, steps: steps, violation: $0) })
    }

    /// Repeats the steps in the system of a seed.
    @MainActor static func replay(
        seed: UInt64, _ steps: [Step], mistake: Mistake? = nil, show: ((String) -> Void)? = nil
    ) -> Violation? {
        var random = RandomNumbers(seed: seed)
        return replay(Settings(using: &random), steps, mistake: mistake, show: show)
    }

    /// Takes the steps. Returns the promise that they break.
    /// - Parameter show: gets each step, and each line that the daemon writes to its log.
    @MainActor static func replay(
        _ settings: Settings, _ steps: [Step], mistake: Mistake? = nil, show: ((String) -> Void)? = nil
    ) -> Violation? {
        let system = SimulatedSystem(settings, mistake: mistake)
        defer { system.end() }
        system.invariants.show = show.map { show in { show("    \($0)") } }
        for step in steps {
            show?(".\(step),")
            system.perform(step)
            if let violation = system.invariants.violation { return violation }
        }
        return system.violationAtRest
    }

    /// Finds a short history that breaks the same promise.
    /// - Parameter time: after which the shortest one so far must do.
    @MainActor func shortened(mistake: Mistake? = nil, within time: Duration = .seconds(60)) -> History {
        let (steps, violation) = violation.shortest(steps, within: time) {
            History.replay(seed: seed, $0, mistake: mistake)
        }
        return History(seed: seed, steps: steps, violation: violation)
    }
}

extension Violation {
    /// Finds few steps that break the same promise, by taking out steps: first many at a time, then single ones (delta
    /// debugging).
    /// - Parameters:
    ///   - time: after which the fewest so far must do.
    ///   - replay: takes steps, and returns the promise that they break.
    @MainActor func shortest<Step>(
        _ steps: [Step], within time: Duration, _ replay: @MainActor ([Step]) -> Violation?
    ) -> (steps: [Step], violation: Violation) {
        let end = ContinuousClock.now + time
        var shortest = (steps: steps, violation: self)
        var size = steps.count / 2
        while size > 0, ContinuousClock.now < end {
            var start = 0
            var hasShortened = false
            while start < shortest.steps.count, ContinuousClock.now < end {
                var fewer = shortest.steps
                fewer.removeSubrange(start..<min(start + size, fewer.count))
                if let found = replay(fewer), found.invariant == invariant {
                    shortest = (fewer, found)
                    hasShortened = true
                } else {
                    start += size
                }
            }
            if !hasShortened || size > 1 { size /= 2 }
        }
        return shortest
    }
}

extension SimulatedSystem {
    /// The broken promise, after everything has come to rest unless one is broken before.
    var violationAtRest: Violation? {
        if invariants.violation == nil { comeToRest() }
        if invariants.violation == nil, leaks > 0 {
            invariants.violate(.memory, "\(leaks) daemons that have ended are still there")
        }
        return invariants.violation
    }
}
