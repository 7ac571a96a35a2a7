import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// Somebody has changed what Redis holds.
@Suite(.timeLimit(.minutes(2))) struct HealingTests {
    private static let prefix = "bridged:{test}:"

    /// - Parameter fault: the words of a command; `PREFIX` stands for the beginning of the cluster's keys.
    @Test(arguments: [
        "set PREFIXrecords 9007199254740993", "set PREFIXrecords x", "del PREFIXrecords", "del PREFIXtraffic",
        "xadd PREFIXtraffic * a b", "flushall", "xadd PREFIXtraffic 9007199254740991-0 a b",
    ])
    func messagesAreAcknowledged_andSeen_again(_ fault: String) async throws {
        let redis = try await RedisServer()
        let (first, second) = (try await durable(redis), try await durable(redis))
        try await second.sees(2)
        let (page, _) = try await PageClient.attach(port: first.port)
        for seq in 1...3 { try await post(seq, page) }
        _ = try await redis.run(fault.replacing("PREFIX", with: Self.prefix).split(separator: " ").map(String.init))
        if fault.contains("9007199254740991") {
            await page.post(#"{"name":"N","n":4}"#, seq: 4)
            let problem = try await first.tool.localProblem("clusterRefused", first)
            #expect(problem.contains("the key \(Self.prefix)traffic"), "\(problem)")
            #expect(problem.contains("Rename"), "\(problem)")
            try await redis.command("rename", Self.prefix + "traffic", "old")
        }
        for seq in 4...8 { try await post(seq, page) }
        let found = try await second.tool.call(
            "messages.wait", #"{"after":0,"filter":"kind:message","match":{"n":8},"timeoutMs":20000}"#)
        #expect(found["seq"]?.wholeNumber == 8, "The other node sees the traffic, too.")
        #expect(found["node"]?.string == first.name)
    }

    /// Redis has lost the state of a page. The node that has the page writes it again, so that another one can go on.
    @Test func stateThatWasDeleted_isWrittenAgain() async throws {
        let redis = try await RedisServer()
        let (first, second) = (try await durable(redis), try await durable(redis))
        try await second.sees(2)
        let (page, attached) = try await PageClient.attach(port: first.port)
        try await post(1, page)
        let script = try await page.next("method", "script.evaluate")
        try await redis.command("del", Self.prefix + "page:d-1")
        try await post(2, page)
        #expect(try await redis.command("hget", Self.prefix + "page:d-1", "lastSeq") == "2")
        first.daemon.signal(SIGKILL)
        let (again, resumed) = try await PageClient.attach(port: second.port, resume: true)
        #expect(resumed["resumed"]?.bool == true && resumed["run"]?.number == attached["run"]?.number)
        #expect(try await again.next("method", "script.evaluate")["id"]?.wholeNumber == script["id"]?.wholeNumber)
    }

    /// A page has changed nodes. The one that it has left has handled a message since, and takes the record back.
    @Test func recordThatAnotherNodeMadeToo_isTakenBack() async throws {
        let redis = try await RedisServer()
        let first = try await durable(redis, "--log", redis.folder.path("first.ndjson"))
        let second = try await durable(redis)
        try await second.sees(2)
        let (page, _) = try await PageClient.attach(port: first.port)
        try await post(1, page)
        // The other node's claim, of which the first one does not know when it handles the next message.
        try await redis.command("hset", Self.prefix + "page:d-1", "node", second.name, "epoch", "2")
        await page.post(#"{"name":"N","n":2}"#, seq: 2)
        let problem = try await first.tool.localProblem("clusterTookOver", first)
        let log = try String(contentsOfFile: redis.folder.path("first.ndjson"), encoding: .utf8)
        let lines = log.split(separator: "\n").compactMap { try? JSON.parse(String($0)) }
        let record = try #require(lines.last { $0["seq"]?.wholeNumber == 2 }?["record"]?.wholeNumber)
        #expect(problem.contains("record \(record) "), "\(problem)")
        #expect(lines.contains { $0["about"]?.wholeNumber == record })
    }

    private func durable(_ redis: RedisServer, _ options: String...) async throws -> Node {
        try await Node(redis.url(), port: 0, ["--cluster-durable"] + options)
    }

    private func post(_ seq: Int, _ page: PageClient) async throws {
        await page.post(#"{"name":"\#(seq == 1 ? "RegisterPushToken" : "N")","n":\#(seq)}"#, seq: seq)
        while try await page.next("method", "page.ack")["params"]?["seq"]?.wholeNumber ?? 0 < seq {}
    }
}

extension ControlClient {
    /// Waits for a line of standard output about a problem with this code.
    fileprivate func localProblem(_ code: String, _ node: Node) async throws -> String {
        for await line in node.daemon.lines where line.contains("\"\(code)\"") { return line }
        throw CancellationError()
    }
}
