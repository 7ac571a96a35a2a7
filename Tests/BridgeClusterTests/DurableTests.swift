import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// A page goes on with another node: `--cluster-durable`.
@Suite(.timeLimit(.minutes(2))) struct DurableTests {
    @Test func pageGoesOn_afterItsNodeWasKilled() async throws {
        let redis = try await RedisServer()
        let first = try await Node(redis, "--cluster-durable")
        let second = try await Node(redis, "--cluster-durable")
        try await second.sees(2)
        let (page, attached) = try await PageClient.attach(port: first.port)
        await page.post(#"{"name":"RegisterPushToken"}"#, seq: 1)
        try await acknowledgement(of: 1, page)
        let evaluation = try await page.next("method", "script.evaluate")
        first.daemon.signal(SIGKILL)

        let (again, resumed) = try await PageClient.attach(port: second.port, resume: true)
        #expect(resumed["resumed"]?.bool == true, "The page keeps its evaluations and replies.")
        #expect(resumed["lastSeq"]?.wholeNumber == 1 && resumed["run"]?.number == attached["run"]?.number)
        let repeated = try await again.next("method", "script.evaluate")
        #expect(repeated["id"]?.wholeNumber == evaluation["id"]?.wholeNumber, "The page knows that it has run it.")
        // The message is not handled again.
        await again.post(#"{"name":"RegisterPushToken"}"#, seq: 1)
        await again.post(#"{"name":"Last"}"#, seq: 2)
        try await acknowledgement(of: 2, again)
        let list = try await messages(second)
        #expect(list.map { $0["seq"]?.wholeNumber } == [1, 2])
        #expect(list.map { $0["node"]?.string } == [first.name, second.name])
    }

    @Test func replyIsRemembered_onAnotherNode() async throws {
        let redis = try await RedisServer()
        let first = try await Node(redis, "--cluster-durable")
        let second = try await Node(redis, "--cluster-durable")
        _ = try await first.tool.call("handlers.stub", #"{"handler":"echo","reply":{"echo":true}}"#)
        let (page, _) = try await PageClient.attach(port: first.port)
        await page.post(#"{"n":1}"#, seq: 1, to: "echo", id: "1")
        #expect(try await page.next("id", "1")["result"]?["value"]?["n"]?.wholeNumber == 1)
        first.daemon.signal(SIGKILL)
        let (again, _) = try await PageClient.attach(port: second.port, resume: true, waiting: [1])
        #expect(try await again.next("id", "1")["result"]?["value"]?["n"]?.wholeNumber == 1)
    }

    @Test func nodeThatLostThePage_ends_itsSession() async throws {
        let redis = try await RedisServer()
        let first = try await Node(redis, "--cluster-durable")
        let second = try await Node(redis, "--cluster-durable")
        let (page, _) = try await PageClient.attach(port: first.port)
        await page.post(#"{"name":"N"}"#, seq: 1)
        try await acknowledgement(of: 1, page)
        let (again, _) = try await PageClient.attach(port: second.port, resume: true)
        // The page's earlier connection still works, but what comes there has no effect.
        await page.post(#"{"name":"N"}"#, seq: 2)
        #expect(await page.closeCode() == 1000)
        await again.post(#"{"name":"N"}"#, seq: 2)
        try await acknowledgement(of: 2, again)
        #expect(try await messages(second).map { $0["seq"]?.wholeNumber } == [1, 2])
    }

    @Test func pageOfAnotherOrigin_doesNotGetTheState() async throws {
        let redis = try await RedisServer()
        let first = try await Node(redis, "--cluster-durable", "--allow-origin", "https://other.example")
        let second = try await Node(redis, "--cluster-durable", "--allow-origin", "https://other.example")
        let (page, _) = try await PageClient.attach(port: first.port)
        await page.post(#"{"name":"N"}"#, seq: 1)
        try await acknowledgement(of: 1, page)
        let other = PageClient(try await WebSocketClient.connect(port: second.port, origin: "https://other.example"))
        await other.sendAttach(document: "d-1", resume: true)
        #expect(try await other.next("id", "attach")["error"] != nil)
        await page.post(#"{"name":"N"}"#, seq: 2)
        try await acknowledgement(of: 2, page)
    }

    @Test func nothingGoesOut_whileRedisIsGone() async throws {
        let redis = try await RedisServer()
        let node = try await Node(redis, "--cluster-durable")
        try await node.sees(1)
        let (page, _) = try await PageClient.attach(port: node.port)
        await page.post(#"{"name":"N"}"#, seq: 1)
        try await acknowledgement(of: 1, page)
        redis.stop()
        await page.post(#"{"name":"RegisterPushToken"}"#, seq: 2)
        // The daemon has handled it when it answers something else.
        while try await node.tool.call("daemon.info")["counters"]?["messages"]?.wholeNumber != 2 {}
        try await redis.start()
        try await acknowledgement(of: 2, page)
        _ = try await page.next("method", "script.evaluate")
        #expect(try await messages(node).map { $0["seq"]?.wholeNumber } == [1, 2])
    }

    private func acknowledgement(of seq: Int, _ page: PageClient) async throws {
        while try await page.next("method", "page.ack")["params"]?["seq"]?.wholeNumber ?? 0 < seq {}
    }

    /// The messages in the traffic of the cluster, when a node has read the record of the last one.
    private func messages(_ node: Node, last seq: Int = 2) async throws -> [JSON] {
        try await node.sees(1)
        var (record, found) = (0, JSON.null)
        while found["seq"]?.wholeNumber != seq {
            found = try await node.tool.call(
                "messages.wait", #"{"after":\#(record),"filter":"kind:message","match":{},"timeoutMs":20000}"#)
            record = found["record"]?.wholeNumber ?? record
        }
        var records: [JSON] = []
        let list = try await node.tool.call("traffic.query", #"{"kind":"message","limit":1000}"#)["records"] ?? .null
        list.forEachElement { records.append($0) }
        return records
    }
}
