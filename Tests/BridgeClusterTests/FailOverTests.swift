import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// A replica becomes the primary, and the address of the cluster leads there: here a link to its socket, elsewhere a name.
@Suite(.timeLimit(.minutes(2))) struct FailOverTests {
    @Test func nodesGoOn_withTheNewPrimary() async throws {
        // Released at once, so that Redis can have them.
        let ports = [try ListeningSocket().port, try ListeningSocket().port].map { "\($0)" }
        let old = try await RedisServer("--port", ports[0])
        let new = try await RedisServer("--port", ports[1], "--replicaof", "127.0.0.1 \(ports[0])")
        let address = old.folder.path("current.sock")
        try point(address, to: old)
        let url = "unix://\(address)?name=test"
        let (first, second) = (try await durable(url), try await durable(url))
        try await second.sees(2)
        let (page, attached) = try await PageClient.attach(port: first.port)
        try await post(1, page)
        while try await old.command("wait", "1", "10000") != "1" {}

        // As Sentinel does it. The old primary goes on as a replica, and its connections stay.
        try await new.command("replicaof", "no", "one")
        try point(address, to: new)
        try await old.command("replicaof", "127.0.0.1", ports[1])
        for seq in 2...4 { try await post(seq, page) }
        #expect(try await new.command("hget", "bridged:{test}:page:d-1", "lastSeq") == "4")
        first.daemon.signal(SIGKILL)
        let (_, resumed) = try await PageClient.attach(port: second.port, resume: true)
        #expect(resumed["resumed"]?.bool == true && resumed["run"]?.number == attached["run"]?.number)
        let found = try await second.tool.call(
            "messages.wait", #"{"after":0,"filter":"kind:message","match":{"n":4},"timeoutMs":30000}"#)
        #expect(found["seq"]?.wholeNumber == 4)
    }

    private func point(_ address: String, to redis: RedisServer) throws {
        try? FileManager.default.removeItem(atPath: address)
        try FileManager.default.createSymbolicLink(atPath: address, withDestinationPath: redis.socket)
    }

    private func durable(_ url: String) async throws -> Node { try await Node(url, port: 0, ["--cluster-durable"]) }

    private func post(_ seq: Int, _ page: PageClient) async throws {
        await page.post(#"{"name":"N","n":\#(seq)}"#, seq: seq)
        while try await page.next("method", "page.ack")["params"]?["seq"]?.wholeNumber ?? 0 < seq {}
    }
}
