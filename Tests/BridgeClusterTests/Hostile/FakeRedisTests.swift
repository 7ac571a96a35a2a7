import Foundation
import TestSupport
import Testing

/// Servers that are no Redis, or a broken one: the daemon says so once, and goes on with its own pages.
@Suite(.timeLimit(.minutes(2))) struct FakeRedisTests {
    struct Case: Sendable, CustomTestStringConvertible {
        /// The command that gets a wrong answer.
        let command: String
        let lie: @Sendable (_ answer: String) -> FakeRedis.Lie
        /// The line about it, and a part of what it says.
        var code = "clusterUnreachable"
        let says: String
        /// What it may say instead.
        let or: String?

        var testDescription: String { "\(command): \(says)" }

        init(
            _ command: String, says: String, or: String? = nil,
            _ lie: @escaping @Sendable (_ answer: String) -> FakeRedis.Lie
        ) {
            (self.command, self.says, self.or, self.lie) = (command, says, or, lie)
        }

        /// Redis does not do it.
        static func refusal(_ command: String, _ error: String, says: String) -> Case {
            Case(command, says: says) { _ in .answer("-\(error)\r\n") }
        }

        /// Redis works, but does not do this.
        static func laterRefusal(_ command: String, _ error: String, says: String) -> Case {
            var later = refusal(command, error, says: says)
            later.code = "clusterRefused"
            return later
        }
    }

    static let wrongAnswers = [
        // If another command waits at the same time, it gets the answer that is too many.
        Case("HGET", says: "an answer without a command", or: "does not answer as Redis does") {
            .answer($0 + "+OK\r\n")
        },
        Case("INFO", says: "a number to INFO") { _ in .answer(":7\r\n") },
        Case("SCRIPT", says: "a text to SCRIPT LOAD") { _ in .answer("+OK\r\n") },
        Case("PING", says: "a list to PING") { _ in .answer("*1\r\n+PONG\r\n") },
        Case("beat", says: "a number to a heartbeat") { _ in .answer(":1\r\n") },
        Case("commit", says: "a text to a commit") { _ in .answer("+OK\r\n") },
        Case("HGET", says: "a list to HGET") { _ in .answer("*0\r\n") },
        Case("INFO", says: "it has closed the connection") { _ in .end("$1000\r\nredis_ver") },
        Case("INFO", says: "Is it a Redis?") { _ in .answer("\u{1}\u{2}garbage\r\n") },
        Case("PING", says: "does not answer as Redis does") { _ in .answer(">2\r\n+message\r\n+x\r\n") },
    ]

    static let wrongSizes = [
        Case("PING", says: "nested") { _ in .answer(String(repeating: "*1\r\n", count: 100_000)) },
        Case("INFO", says: "a text of 9223372036854775807 bytes") { _ in .answer("$9223372036854775807\r\n") },
        Case("INFO", says: "more than 4194304 elements") { _ in .answer("*2147483647\r\n") },
        Case("PING", says: "more than 4194304 elements") { _ in
            .answer(String(repeating: "*1000000\r\n", count: 7) + "+x\r\n")
        },
        Case("PING", says: "a line of more than 64 KiB") { _ in
            .answer("+" + String(repeating: "x", count: 200_000))
        },
    ]

    static let others = [
        Case("INFO", says: "It is a web server") { _ in .end("HTTP/1.1 400 Bad Request\r\n\r\n") },
        Case("INFO", says: "give rediss://") { _ in .end("\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{46}") },
        Case("INFO", says: "which has no streams") { _ in .answer("$19\r\nredis_version:4.0.9\r\n") },
        .refusal("INFO", "NOAUTH Authentication required.", says: "Give the password"),
        .refusal("INFO", "ERR max number of clients reached", says: "Raise its maxclients"),
        .refusal("PING", "LOADING Redis is loading the dataset in memory", says: "It reads its files"),
        .refusal("SCRIPT", "NOPERM this user has no permissions to run 'script'", says: "allow EVALSHA"),
        .laterRefusal("beat", "OOM command not allowed when used memory > 'maxmemory'.", says: "raise its maxmemory"),
        .refusal("beat", "READONLY You can't write against a read only replica.", says: "of the primary"),
        .laterRefusal("commit", "MISCONF Redis is configured to save RDB snapshots", says: "free some space"),
        .laterRefusal("XREAD", "NOPERM this user has no permissions", says: "refuses to give the traffic"),
    ]

    @Test(arguments: wrongAnswers + wrongSizes + others)
    func daemonSaysSoOnce_andServesItsPages(_ test: Case) async throws {
        let redis = try FakeRedis { command, answer in command == test.command ? test.lie(answer) : nil }
        let daemon = try RunningDaemon(["--port", "0", "--json", "--cluster", redis.url()])
        let (page, _) = try await PageClient.attach(port: try await daemon.listening().port)
        await page.post(#"{"name":"First"}"#, seq: 1)
        var lines = await daemon.linesUntil("\"\(test.code)\"")
        let line = lines.last ?? ""
        #expect(line.contains(test.says) || test.or.map(line.contains) == true, "\(line)")
        // It tries again, and that fails as well. Two connections lead to Redis.
        let count = redis.connectionCount + (test.code == "clusterRefused" ? 0 : 4)
        try await waitUntil { redis.connectionCount >= count }
        await page.post(#"{"name":"Last"}"#, seq: 2)
        lines += await daemon.linesUntil("\"Last\"")
        #expect(lines.count { $0.contains("\"\(test.code)\"") } == 1)
    }

    @Test func silence_isReported() async throws {
        let redis = try FakeRedis { command, _ in command == "INFO" ? .answer("$1000\r\nredis_version:7") : nil }
        let daemon = try RunningDaemon(["--port", "0", "--json", "--cluster", redis.url()])
        let (page, _) = try await PageClient.attach(port: try await daemon.listening().port)
        #expect(await daemon.linesUntil("\"clusterUnreachable\"").last?.contains("has not answered for 10 s") == true)
        await page.post(#"{"name":"Last"}"#, seq: 1)
        _ = try await page.next("method", "page.ack")
    }

    /// Redis takes the claim of a page and says nothing, breaks the connection each time, or refuses it.
    @Test(arguments: ["", "end", "-OOM command not allowed\r\n"])
    func pageWhoseClaimGetsNoAnswer_isSentAway(_ answer: String) async throws {
        let redis = try FakeRedis { command, _ in
            guard command == "claim" else { return nil }
            return answer == "end" ? .end("") : .answer(answer)
        }
        let options = ["--cluster-durable", "--handshake-timeout", "4s"]
        let daemon = try RunningDaemon(["--port", "0", "--json", "--cluster", redis.url()] + options)
        let port = try await daemon.listening().port
        let page = try await PageClient(port: port)
        await page.sendAttach(document: "d-1", resume: true)
        #expect(await page.closeCode() == 1013, "It attaches again, perhaps to another node.")
        let (_, attached) = try await PageClient.attach(port: port, document: "d-2")
        #expect(attached["page"] != nil)
    }

    @Test func daemonThatStops_namesTheBeaconsThatRedisHasNotAnswered() async throws {
        let (claims, claimed) = AsyncStream.makeStream(of: Void.self)
        let redis = try FakeRedis { command, _ in
            guard command == "claim" else { return nil }
            claimed.yield()
            return .answer("")
        }
        let daemon = try RunningDaemon(["--port", "0", "--json", "--cluster", redis.url(), "--cluster-durable"])
        let port = try await daemon.listening().port
        async let response = HTTPClient.request(
            "POST", path: "/beacon", port: port, headers: ["Origin: http://localhost"],
            body: PageClient.beacon(document: "d-1", resume: true, messages: 2))
        for await _ in claims { break }
        daemon.signal(SIGTERM)
        let line = await daemon.linesUntil("\"badBeacon\"").last ?? ""
        #expect(line.contains("2 messages of the document 'd-1' could not be handled: the daemon stopped"), "\(line)")
        #expect(try await response.status == 503)
        #expect(try await daemon.exitStatus() == 0)
    }
}

extension RunningDaemon {
    /// The next lines of its output, through the first one with this part.
    fileprivate func linesUntil(_ part: String) async -> [String] {
        var found: [String] = []
        for await line in lines {
            found.append(line)
            if line.contains(part) { break }
        }
        return found
    }
}
