import Testing

@testable import Simulation

/// Simulated clusters, with a real Redis. `make simulate-cluster` runs more of them.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ClusterSimulationTests {
    @Test func promisesHold_whateverHappensToRedisAndNodes() async throws {
        let redis = try RedisProcess()
        defer { redis.stop() }
        for seed in 1...60 {
            await Task.yield()  // Other tests share this actor.
            let history = ClusterHistory.run(seed: UInt64(seed), in: redis).1
            #expect(history == nil, "SEED=\(seed): \(history?.violation.description ?? "")")
        }
    }

    /// Proves that the simulation notices what it looks for. Each mistake was one of the daemon.
    @Test(arguments: [
        (ClusterMistake.writesStatesFirst, Violation.Invariant.logged), (.takesNothingBack, .taken),
    ])
    func noticesMistake(_ mistake: ClusterMistake, _ invariant: Violation.Invariant) async throws {
        let redis = try RedisProcess()
        defer { redis.stop() }
        var found = false
        for seed in 1...2_000 where !found {
            await Task.yield()
            found =
                ClusterHistory.run(seed: UInt64(seed), in: redis, mistake: mistake).1?.violation.invariant == invariant
        }
        #expect(found, "No invariant noticed \(mistake).")
    }

    @Test func takesTheSameSteps_ifTheSeedIsTheSame() throws {
        let redis = try RedisProcess()
        defer { redis.stop() }
        let lines = (1...2).map { _ in
            var lines: [String] = []
            for seed in 1...3 { _ = ClusterHistory.run(seed: UInt64(seed), in: redis) { lines.append($0) } }
            return lines
        }
        #expect(lines[0].count > 100)
        #expect(lines[0] == lines[1])
    }

    @Test func shortensHistory() async throws {
        let redis = try RedisProcess()
        defer { redis.stop() }
        var history: ClusterHistory?
        for seed in 1...200 where history == nil {
            await Task.yield()
            history = ClusterHistory.run(seed: UInt64(seed), in: redis, mistake: .takesNothingBack).1
        }
        let short = try #require(history).shortened(in: redis, mistake: .takesNothingBack, within: .seconds(10))
        #expect(short.steps.count < 60, "\(short.steps)")
        #expect(short.violation.invariant == history?.violation.invariant)
    }
}
