import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// A Redis that is gone, full, or refuses.
@Suite(.timeLimit(.minutes(2))) struct OutageTests {
    @Test func nodeGoesOn_saysSoOnce_andCatchesUp() async throws {
        let redis = try await RedisServer()
        let node = try await Node(redis)
        try await node.sees(1)
        let (page, _) = try await PageClient.attach(port: node.port)
        redis.stop()
        for seq in 1...20 { await page.post(#"{"name":"N","n":\#(seq)}"#, seq: seq) }
        while try await page.next("method", "page.ack")["params"]?["seq"]?.wholeNumber != 20 {}
        let away = try await node.state { $0.hasPrefix("unreachable") }
        #expect(away["waitingRecords"]?.wholeNumber ?? 0 >= 20)
        try await redis.start()
        let record = try await node.tool.call(
            "messages.wait", #"{"after":0,"kind":"problem","filter":"reason:clusterReachable","timeoutMs":30000}"#)
        #expect(record["code"]?.string == "clusterReachable")
        let found = try await node.tool.call("traffic.query", #"{"kind":"message","limit":1000}"#)["records"] ?? .null
        var numbers: [Int] = []
        found.forEachElement { numbers.append($0["body"]?["n"]?.wholeNumber ?? 0) }
        #expect(numbers == Array(1...20), "Nothing is missing, and nothing came twice.")
        let problems = try await node.tool.call("traffic.query", #"{"filter":"reason:clusterUnreachable"}"#)
        #expect(problems["records"]?.count == 1)
        let metrics = try await node.tool.get("/metrics").body
        #expect(metrics.contains("bridged_cluster_up 1") && metrics.contains("bridged_cluster_failures_total 1"))
    }

    @Test func nodeStarts_beforeRedis() async throws {
        let redis = try await RedisServer()
        redis.stop()
        let node = try await Node(redis)
        let (page, attached) = try await PageClient.attach(port: node.port)
        #expect(attached["page"]?.string == "\(node.name).p1")
        try await redis.start()
        try await node.sees(1)
        let record = try await node.tool.call(
            "messages.wait", #"{"after":0,"kind":"page","timeoutMs":30000}"#)
        #expect(record["event"]?.string == "attached")
        _ = page
    }

    @Test func fullRedis_isReported_andRecordsFollow() async throws {
        let redis = try await RedisServer()
        let node = try await Node(redis)
        try await node.sees(1)
        try await redis.command("config", "set", "maxmemory", "1")
        let (page, _) = try await PageClient.attach(port: node.port)
        _ = try await node.state { _ in true }
        let problems = try await localProblem("clusterRefused", node)
        #expect(problems.contains("OOM") && problems.contains("raise its maxmemory"))
        try await redis.command("config", "set", "maxmemory", "0")
        let record = try await node.tool.call(
            "messages.wait", #"{"after":0,"kind":"page","timeoutMs":30000}"#)
        #expect(record["event"]?.string == "attached")
        _ = page
    }

    @Test func wrongPassword_isReported() async throws {
        let redis = try await RedisServer("--requirepass", "secret")
        let refused = try await Node(redis)
        let text = try await refused.state { $0.hasPrefix("unreachable") && !$0.contains("has not been reached") }
        #expect(text["state"]?.string?.contains("NOAUTH") == true)
    }

    @Test func nameOfAnotherDaemon_isReported() async throws {
        let redis = try await RedisServer()
        let node = try await Node(redis)
        try await node.sees(1)
        try await redis.command("hset", "bridged:{test}:node:\(node.name)", "instance", "other")
        let problem = try await localProblem("clusterUnreachable", node)
        #expect(problem.contains(node.name))
    }

    /// Waits for a line of standard output about a problem with this code.
    private func localProblem(_ code: String, _ node: Node) async throws -> String {
        for await line in node.daemon.lines where line.contains("\"\(code)\"") { return line }
        throw CancellationError()
    }
}

extension Node {
    /// Waits until the state of its Redis is as expected, and returns what `daemon.info` says of the cluster.
    func state(_ isExpected: (String) -> Bool) async throws -> JSON {
        while true {
            let cluster = try await tool.call("daemon.info")["cluster"] ?? .null
            if isExpected(cluster["state"]?.string ?? "") { return cluster }
        }
    }
}
