import Testing

@testable import BridgeCluster

/// The script of commits, in a real Redis.
@Suite(.timeLimit(.minutes(1))) struct CommitScriptTests {
    /// A commit whose answer was lost is sent again. Its node must learn again what was left out, or it would acknowledge
    /// messages that are nowhere.
    @Test func commitThatIsSentAgain_getsTheSameAnswer() async throws {
        let redis = try await RedisServer()
        try await redis.command("hset", "state:d-1", "node", "other", "epoch", "2")
        let moved = ["d-1", "1", "0", "1", "lastSeq", "5", "0"]
        let own = ["d-2", "1", "0", "1", "lastSeq", "7", "0"]
        let first = ["2"] + moved + own + ["1", "1", "lost", "2", "2", "kept"]
        for _ in 0..<3 { #expect(try await commit(1, first, redis) == ["1", "d-1", "1"]) }
        #expect(try await redis.command("xlen", "traffic") == "1")
        #expect(try await redis.command("hget", "state:d-1", "lastSeq") == "")
        #expect(try await redis.command("hget", "state:d-2", "lastSeq") == "7")
        let second = ["1"] + own + ["1", "3", "kept"]
        for _ in 0..<3 { #expect(try await commit(2, second, redis) == ["2"], "Only its own list counts.") }
        #expect(try await redis.command("xlen", "traffic") == "2")
    }

    private func commit(_ number: Int, _ parts: [String], _ redis: RedisServer) async throws -> [String] {
        let arguments = ["n1", "\(number)", "0", "1000", "state:", "60"] + parts
        return try await redis.run(["eval", CommitScript.commit, "3", "node", "traffic", "records"] + arguments)
            .split(separator: "\n").map(String.init)
    }
}
