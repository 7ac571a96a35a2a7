import Foundation

/// Simulates one system after the other until the time is over or a promise is broken: `Simulation SECONDS [SEED]`.
@main @MainActor struct Simulation {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let seconds = arguments.first.flatMap { Double($0) } ?? 60
        let first = arguments.dropFirst().first.flatMap { UInt64($0) } ?? .random(in: 0..<1 << 32)
        say("Simulating for \(Int(seconds)) s, from SEED=\(first)")
        let begin = ContinuousClock.now
        var (seed, steps) = (first, 0)
        repeat {
            let (count, history) = History.run(seed: seed)
            steps += count
            if let history { fail(history) }
            seed += 1
        } while ContinuousClock.now - begin < .seconds(seconds)
        let speed = Int(Double(steps) / processorSeconds)
        say("\(seed - first) simulations, \(steps) steps, \(speed) steps a second of processor time: all promises held")
    }

    /// Other processes may take most of the time on the wall.
    private static var processorSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    private static func fail(_ history: History) -> Never {
        say("error: SEED=\(history.seed) breaks a promise after \(history.steps.count) steps: \(history.violation)")
        let short = history.shortened()
        say("The shortest history found has \(short.steps.count) steps: \(short.violation)")
        _ = History.replay(seed: short.seed, short.steps) { say($0) }
        say("Repeat it with: make simulate SEED=\(history.seed)")
        exit(1)
    }
}
