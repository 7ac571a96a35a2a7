import Foundation

/// Simulates one system after the other until the time is over or a promise is broken: `Simulation SECONDS [SEED]`, or
/// `Simulation SECONDS SEED cluster`.
@main @MainActor struct Simulation {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let seconds = arguments.first.flatMap { Double($0) } ?? 60
        let first = arguments.dropFirst().first.flatMap { UInt64($0) } ?? .random(in: 0..<1 << 32)
        if arguments.last == "cluster" { return simulateClusters(for: seconds, from: first) }
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

    private static func simulateClusters(for seconds: Double, from first: UInt64) {
        guard let process = try? RedisProcess() else { return say("error: redis-server cannot be started") }
        say("Simulating clusters for \(Int(seconds)) s, from SEED=\(first)")
        let mistake = ProcessInfo.processInfo.environment["MISTAKE"].flatMap(ClusterMistake.init)
        let begin = ContinuousClock.now
        var (seed, steps) = (first, 0)
        repeat {
            let (count, history) = ClusterHistory.run(seed: seed, in: process, mistake: mistake)
            steps += count
            if let history { fail(history, process, mistake) }
            seed += 1
        } while ContinuousClock.now - begin < .seconds(seconds)
        process.stop()
        let perMinute = Int(Double(seed - first) / ((ContinuousClock.now - begin) / .seconds(60)))
        say("\(seed - first) simulations, \(steps) steps, \(perMinute) simulations a minute: all promises held")
    }

    private static func fail(_ history: ClusterHistory, _ process: RedisProcess, _ mistake: ClusterMistake?) -> Never {
        say("error: SEED=\(history.seed) breaks a promise of \(history.steps.count) steps: \(history.violation)")
        let short = history.shortened(in: process, mistake: mistake)
        say("The shortest history found has \(short.steps.count) steps: \(short.violation)")
        _ = ClusterHistory.replay(short.steps, in: process, mistake: mistake) { say($0) }
        say("Repeat it with: make simulate-cluster SEED=\(history.seed)")
        process.stop()
        exit(1)
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
