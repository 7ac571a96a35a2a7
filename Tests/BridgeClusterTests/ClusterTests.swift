import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// Two real daemons and a real Redis.
@Suite(.timeLimit(.minutes(2))) struct ClusterTests {
    @Test func toolReachesPage_whereverItIs() async throws {
        let redis = try await RedisServer()
        let (first, second) = (try await Node(redis), try await Node(redis))
        try await first.sees(2)
        try await second.sees(2)
        let (page, attached) = try await PageClient.attach(port: first.port)
        let id = try #require(attached["page"]?.string)
        #expect(id == "\(first.name).p1", "Ids of pages are those of no other node.")
        try await second.lists(id)

        async let value = second.tool.call("script.evaluate", #"{"source":"1 + 1"}"#)
        try await answer(page, "2")
        #expect(try await value["value"]?.wholeNumber == 2)
        async let byID = second.tool.call("script.evaluate", #"{"page":"\#(id)","source":"1 + 2"}"#)
        try await answer(page, "3")
        #expect(try await byID["value"]?.wholeNumber == 3)

        let posted = try await second.tool.call(
            "message.post", #"{"handler":"nativeApp","body":{"name":"ActionButton","path":"/x","icon":"plus"}}"#)
        #expect(posted["verdict"]?["outcome"]?.string == "handled")
        let found = try await second.tool.call("pages.wait", #"{"url":"http://localhost:3000/*"}"#)
        #expect(found["page"]?.string == id && found["node"]?.string == first.name)
    }

    @Test func waitsForPage_thatAttachesElsewhere() async throws {
        let redis = try await RedisServer()
        let (first, second) = (try await Node(redis), try await Node(redis))
        try await second.sees(2)
        async let value = second.tool.call("script.evaluate", #"{"source":"7","timeoutMs":30000}"#)
        async let waited = second.tool.call("pages.wait", #"{"timeoutMs":30000}"#)
        let (page, _) = try await PageClient.attach(port: first.port)
        try await answer(page, "7")
        #expect(try await value["value"]?.wholeNumber == 7)
        #expect(try await waited["node"]?.string == first.name)
    }

    @Test func nodeParam_choosesTheNode() async throws {
        let redis = try await RedisServer()
        let (first, second) = (try await Node(redis), try await Node(redis))
        try await first.sees(2)
        let info = try await first.tool.call("daemon.info", #"{"node":"\#(second.name)"}"#)
        #expect(info["pid"]?.wholeNumber == second.listening.pid)
        let stub = try await first.tool.call(
            "handlers.stub", #"{"node":"\#(second.name)","handler":"camera","reply":{"value":1}}"#)
        #expect(stub["stub"]?.string == "s1")
        #expect(try await second.tool.call("handlers.list").text.contains("camera"))
        #expect(try await !first.tool.call("handlers.list").text.contains("camera"))
        let nodes = try await first.tool.call("nodes.list")["nodes"]
        #expect(nodes?.count == 2 && nodes?[0]?["node"]?.string == first.name)
        let missing = try await first.tool.error("app.state", #"{"node":"nowhere"}"#)
        #expect(missing["message"]?.string?.contains("nowhere") == true)
    }

    @Test func callEnds_whenItsNodeIsKilled() async throws {
        let redis = try await RedisServer()
        let (first, second) = (try await Node(redis), try await Node(redis))
        try await second.sees(2)
        let (page, attached) = try await PageClient.attach(port: first.port)
        let id = try #require(attached["page"]?.string)
        try await second.lists(id)
        async let error = second.tool.error("script.evaluate", #"{"page":"\#(id)","source":"1","timeoutMs":60000}"#)
        _ = try await page.next("method", "script.evaluate")
        first.daemon.signal(SIGKILL)
        let text = try await error["message"]?.string ?? ""
        #expect(text.contains(first.name))
    }

    @Test func callsTakeTheirTimeLimit_elsewhere() async throws {
        let redis = try await RedisServer()
        let (first, second) = (try await Node(redis), try await Node(redis))
        try await second.sees(2)
        let (page, attached) = try await PageClient.attach(port: first.port)
        try await second.lists(try #require(attached["page"]?.string))
        let error = try await second.tool.error("script.evaluate", #"{"source":"1","timeoutMs":300}"#)
        #expect(error["code"]?.number == 1 && error["data"]?["timeoutMs"] != nil)
        _ = page
    }

    @Test func trafficOfAllNodes_hasOneOrder() async throws {
        let redis = try await RedisServer()
        let nodes = [try await Node(redis), try await Node(redis)]
        for node in nodes { try await node.sees(2) }
        var pages: [PageClient] = []
        for (index, node) in nodes.enumerated() {
            let (page, _) = try await PageClient.attach(port: node.port, document: "d-\(index)", webView: "w\(index)")
            for seq in 1...50 { await page.post(#"{"name":"N","n":\#(seq)}"#, seq: seq, to: "nativeApp") }
            pages.append(page)
        }
        for page in pages {
            while try await page.next("method", "page.ack")["params"]?["seq"]?.wholeNumber != 50 {}
        }
        for node in nodes {
            var records: [JSON] = []
            while records.count < 100 {
                let found =
                    try await nodes[0].tool.call(
                        "traffic.query", #"{"kind":"message","limit":1000}"#)["records"] ?? .null
                records = []
                found.forEachElement { records.append($0) }
            }
            #expect(records.count == 100)
            let numbers = records.compactMap { $0["record"]?.wholeNumber }
            #expect(numbers == numbers.sorted() && Set(numbers).count == 100)
            let own = records.filter { $0["node"]?.string == node.name }
            #expect(own.compactMap { $0["body"]?["n"]?.wholeNumber } == Array(1...50))
            #expect(own.allSatisfy { $0["nodeRecord"]?.wholeNumber != nil })
            let one = try await nodes[0].tool.call(
                "traffic.query", #"{"kind":"message","node":"\#(node.name)","limit":1000}"#)
            #expect(one["records"]?.count == 50)
        }
        let missing = #"{"after":0,"match":{"n":50},"node":"\#(nodes[1].name)"}"#
        let waited = try await nodes[0].tool.call("messages.wait", missing)
        #expect(waited["webView"]?.string == "w1")
    }

    /// Answers the next evaluation.
    private func answer(_ page: PageClient, _ value: String) async throws {
        let request = try await page.next("method", "script.evaluate")
        page.send(#"{"jsonrpc":"2.0","id":\#((request["id"] ?? .null).text),"result":{"value":\#(value)}}"#)
    }
}
