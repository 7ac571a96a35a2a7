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
        let own = ["d-2", "1", "0", "2", "run", "1", "lastSeq", "7", "0"]
        let first = ["2"] + moved + own + ["1", "1", "lost", "2", "2", "kept"]
        for _ in 0..<3 { #expect(try await commit(1, first, redis) == ["1", "d-1", "1"]) }
        #expect(try await redis.command("xlen", "traffic") == "1")
        #expect(try await redis.command("hget", "state:d-1", "lastSeq") == "")
        #expect(try await redis.command("hget", "state:d-2", "lastSeq") == "7")
        let second = ["1"] + own + ["1", "3", "kept"]
        for _ in 0..<3 { #expect(try await commit(2, second, redis) == ["2"], "Only its own list counts.") }
        #expect(try await redis.command("xlen", "traffic") == "2")
    }

    /// Redis does not take back what a script has written before one of its commands fails. If the state of a page said
    /// that a message was handled, and its record were missing, another node would acknowledge it.
    @Test(arguments: [
        (["xadd", "traffic", "18446744073709551614-1", "a", "b"], "traffic"),
        (["set", "traffic", "x"], "traffic"), (["set", "node", "x"], "node"), (["set", "state:d-2", "x"], "state:d-2"),
        (["hset", "node", "commit", "7"], "node"),
        (["acl", "setuser", "default", "-xadd"], "traffic"), (["acl", "setuser", "default", "-expire"], "expire"),
        (["acl", "setuser", "default", "-set"], "set"),
    ])
    func commitThatCannotBeWritten_changesNothing_andSaysWhy(_ fault: [String], _ names: String) async throws {
        let redis = try await RedisServer()
        _ = try await redis.run(fault)
        let before = try await redis.command("dbsize")
        let parts =
            ["2", "d-1", "1", "0", "2", "run", "1", "lastSeq", "5", "0"]
            + ["d-2", "1", "0", "2", "run", "1", "lastSeq", "5", "0"] + ["1", "1", "kept", "2", "2", "kept"]
        let answer = try await commit(1, parts, redis).joined(separator: " ")
        #expect(answer.contains("the key \(names)") || answer.contains("may not call \(names)"), "\(answer)")
        #expect(try await redis.command("dbsize") == before)
        #expect(try await redis.command("exists", "state:d-1") == "0")
    }

    /// Whatever the number of the latest record is, the next records get numbers that can be counted on from.
    @Test(arguments: [
        ["set", "records", "9007199254740993"], ["set", "records", "9223372036854775807"], ["set", "records", "-5"],
        ["set", "records", "x"], ["set", "records", "nan"], ["set", "records", "1.5"], ["rpush", "records", "x"],
        ["del", "records"], ["xadd", "traffic", "*", "foreign", "entry"],
        ["xadd", "traffic", "5-7", "foreign", "entry"],
        ["flushall"], ["del", "traffic"], ["del", "node"],
    ])
    func nextCommitIsWritten_whateverRedisHolds(_ fault: [String]) async throws {
        let redis = try await RedisServer()
        var kept = 0
        for number in 1...6 {
            if number.isMultiple(of: 2) {
                if fault[0] == "rpush" { try await redis.command("del", "records") }
                _ = try await redis.run(fault)
                if ["flushall", "del"].contains(fault[0]) { kept = try await records(redis).count }
            }
            let part = ["d-1", "1", "0", "2", "run", "1", "lastSeq", "\(number)", "0"]
            let answer = try await commit(number, ["1"] + part + ["1", "\(number)", "kept", "1", "9", "kept"], redis)
            #expect(Int(answer.first ?? "").map(ClusterLimits.numbers.contains) == true, "\(answer)")
            kept += 2
            #expect(try await records(redis).count == kept)
        }
    }

    /// The state of a page has disappeared. What is known of its latest change is not enough to go on with it.
    @Test func nodeLearns_thatTheStateOfAPageIsMissing() async throws {
        let redis = try await RedisServer()
        let change = ["d-1", "1", "0", "1", "lastSeq", "5", "0"]
        for _ in 0..<2 { #expect(try await commit(1, ["1"] + change + ["1", "1", "kept"], redis) == ["1", "d-1"]) }
        #expect(try await redis.command("exists", "state:d-1") == "0")
        #expect(try await records(redis).count == 1)
    }

    private func records(_ redis: RedisServer) async throws -> [Substring] {
        try await redis.command("--raw", "xrange", "traffic", "-", "+").split(separator: "\n").filter { $0 == "kept" }
    }

    private func commit(_ number: Int, _ parts: [String], _ redis: RedisServer) async throws -> [String] {
        let arguments = ["n1", "\(number)", "0", "1000", "state:", "60"] + parts
        return try await redis.run(["eval", CommitScript.commit, "3", "node", "traffic", "records"] + arguments)
            .split(separator: "\n").map(String.init)
    }
}

/// The script of claims, in a real Redis.
@Suite(.timeLimit(.minutes(1))) struct ClaimScriptTests {
    @Test func nodeThatClaims_getsAnEpochThatNobodyHad() async throws {
        let redis = try await RedisServer()
        try await redis.command("hset", "state", "node", "n2", "epoch", "1", "origin", "", "run", "5", "lastSeq", "3")
        // Redis has lost the time in which this node had epoch 7.
        #expect(try await claim("7", redis).starts(with: ["moved", "node", "n1", "epoch", "8"]))
    }

    /// A page whose state cannot be read must not begin anew: what Redis has would be another state.
    @Test(arguments: [
        ["hset", "state", "epoch", "x"], ["hset", "state", "lastSeq", "9007199254740993"], ["hdel", "state", "origin"],
        ["hdel", "state", "run"], ["set", "state", "x"], ["hset", "state", "epoch", "9223372036854775807"],
    ])
    func stateThatCannotBeRead_isNamed(_ fault: [String]) async throws {
        let redis = try await RedisServer()
        try await redis.command("hset", "state", "node", "n2", "epoch", "1", "origin", "", "run", "5", "lastSeq", "3")
        _ = try await redis.run(fault)
        let before = try await redis.command("dump", "state")
        let answer = try await claim("", redis).joined(separator: " ")
        #expect(answer.contains("the key state"), "\(answer)")
        #expect(try await redis.command("dump", "state") == before)
    }

    private func claim(_ epoch: String, _ redis: RedisServer) async throws -> [String] {
        try await redis.run(["eval", ClaimScript.claim, "1", "state", "n1", epoch, "", "60"]).split(separator: "\n")
            .map(String.init)
    }
}
