import BridgeProtocol
import BridgeServer
import Foundation
import Synchronization
import TestSupport
import Testing

/// Traffic over the control channel and over `GET /traffic`.
@MainActor @Suite(.timeLimit(.minutes(4))) struct TrafficMethodTests {
    /// Runs `body` with a server whose handler accepts anything, and a page that has posted two messages: records 1 to 3.
    private func withTraffic(
        _ configure: (inout BridgeServer.Configuration) -> Void = { _ in },
        _ body: @MainActor (ControlClient, PageClient, BridgeServer) async throws -> Void
    ) async throws {
        try await withServer(configure) { server, address in
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post(#"{"name":"A","n":1}"#, seq: 1)
            await page.post(#"{"name":"B","n":2}"#, seq: 2)
            while try await page.next("method", "page.ack")["params"]?["seq"]?.number != 2 {}
            try await body(try ControlClient(address), page, server)
        }
    }

    private func numbers(_ records: JSON?) -> [Double] {
        var numbers: [Double] = []
        records?.forEachElement { numbers.append($0["record"]?.number ?? 0) }
        return numbers
    }

    // MARK: traffic.query

    /// Params, with the numbers of the records that they match.
    nonisolated static let queries: [(String, [Double])] = [
        ("{}", [1, 2, 3]), (#"{"after":1}"#, [2, 3]), (#"{"limit":1}"#, [1]), (#"{"name":"B"}"#, [3]),
        (#"{"kind":"page"}"#, [1]), (#"{"filter":"kind:message -name:A"}"#, [3]), (#"{"page":"p2"}"#, []),
        (#"{"handler":"nativeApp","direction":"toNative","webView":"main"}"#, [2, 3]),
    ]

    @Test(arguments: queries) func findsMatchingRecords(_ params: String, _ expected: [Double]) async throws {
        try await withTraffic { tool, _, _ in
            let result = try await tool.call("traffic.query", params)
            #expect(numbers(result["records"]) == expected)
        }
    }

    @Test func returnsNumberToContinueFrom() async throws {
        try await withTraffic { tool, _, _ in
            let first = try await tool.call("traffic.query", #"{"limit":2}"#)
            let rest = try await tool.call("traffic.query", #"{"after":2}"#)
            #expect(first["next"]?.number == 2 && rest["next"]?.number == 3)
        }
    }

    @Test(arguments: [
        (
            #"{"kind":"mesage"}"#,
            "Invalid params: /kind: kind is message, reply, evaluate, callAsync, result, console, "
                + #"page, request, app, problem, gap, not "mesage". Did you mean message?"#
        ),
        (#"{"limit":-1}"#, "Invalid params: /limit: expected a whole number from 0 to 2^53, found number -1"),
    ])
    func saysWhatIsWrongWithFilter(_ params: String, _ message: String) async throws {
        try await withTraffic { tool, _, _ in
            let error = try await tool.error("traffic.query", params)
            #expect(error["message"]?.string == message)
        }
    }

    @Test func pointsIntoFilterExpression() async throws {
        try await withTraffic { tool, _, _ in
            let error = try await tool.error("traffic.query", #"{"filter":"nme:A"}"#)
            #expect(error["code"]?.number == -32602 && error["data"]?["offset"]?.number == 0)
        }
    }

    // MARK: traffic.note

    /// The answers have twenty times as many bytes as may wait. Without a pause they would all be made before the first
    /// is read, and the daemon would close the connection. Under the address sanitizer it also finds, in half of its runs, if
    /// a message is written while libwebsockets buffers another one.
    @Test(arguments: [false, true]) func answersManyLargeQueries_asTheToolReads(isArchived: Bool) async throws {
        try await withTraffic {
            $0.limits.waitingBytes = 1 << 20
            if isArchived { $0.limits.records = 1 }
        } _: { tool, page, server in
            if isArchived { server.traffic.keep(in: MemoryArchive()) }
            await page.post("{\"name\":\"C\",\"filler\":\"\(String(repeating: "x", count: 100_000))\"}", seq: 3)
            await page.post("1", seq: 4)
            while try await page.next("method", "page.ack")["params"]?["seq"]?.number != 4 {}
            let socket = try await tool.connect()
            let queries = (1...200).map {
                "{\"jsonrpc\":\"2.0\",\"id\":\"\($0)\",\"method\":\"traffic.query\",\"params\":{\"name\":\"C\"}}"
            }
            socket.send("[\(queries.joined(separator: ","))]")
            for number in 1...200 {
                #expect(numbers(try await socket.next("id", "\(number)")["result"]?["records"]) == [4])
            }
        }
    }

    @Test func notesTheTextOfATool() async throws {
        try await withTraffic { tool, _, server in
            let note = try await tool.call("traffic.note", #"{"text":"PostsTest#test_writes"}"#)
            #expect(note["record"]?.number == 4)
            let record = try #require(server.traffic.query(after: 3, limit: 1).records.first)
            #expect(record.json["text"]?.string == "PostsTest#test_writes" && record.json["by"]?.string == "tool")
            #expect(record.description.hasSuffix("  # PostsTest#test_writes"), "\(record)")
            let long = String(repeating: "x", count: 9_000)
            let error = try await tool.error("traffic.note", "{\"text\":\"\(long)\"}")
            #expect(error["message"]?.string == "Invalid params: /text: expected at most 8192 bytes, found 9000")
        }
    }

    // MARK: messages.wait

    @Test func waitsForMatchingMessage() async throws {
        try await withTraffic { tool, page, _ in
            let socket = try await tool.connect()
            socket.send(
                #"{"jsonrpc":"2.0","id":"w","method":"messages.wait","params":{"name":"A","match":{"n":7}}}"#)
            // Calls begin in order, so the answer to this one means that the wait has begun.
            socket.send(#"{"jsonrpc":"2.0","id":"i","method":"daemon.info"}"#)
            _ = try await socket.next("id", "i")
            await page.post(#"{"name":"A","n":6}"#, seq: 3)
            await page.post(#"{"name":"A","n":7,"more":[]}"#, seq: 4)
            let found = try await socket.next("id", "w")
            #expect(found["result"]?["seq"]?.number == 4)
        }
    }

    @Test func findsEarlierMessageWithAfter() async throws {
        try await withTraffic { tool, _, _ in
            let found = try await tool.call("messages.wait", #"{"after":0,"match":{"n":2}}"#)
            #expect(found["record"]?.number == 3 && found["kind"]?.string == "message")
        }
    }

    @Test func timesOutAndMentionsEarlierMessages() async throws {
        try await withTraffic { tool, _, _ in
            let error = try await tool.error("messages.wait", #"{"name":"B","timeoutMs":20}"#)
            #expect(error["code"]?.number == -32005 && error["data"]?["timeoutMs"]?.number == 20)
        }
    }

    // MARK: traffic.subscribe

    @Test func subscriptionBringsMatchingRecordsUntilUnsubscribed() async throws {
        try await withTraffic { tool, page, _ in
            let socket = try await tool.connect()
            socket.send(
                #"{"jsonrpc":"2.0","id":"s","method":"traffic.subscribe","params":{"name":"B","after":0}}"#)
            #expect(try await socket.next("id", "s")["result"]?["subscription"]?.string == "t1")
            let old = try await socket.next("method", "traffic.record")
            #expect(old["params"]?["subscription"]?.string == "t1" && old["params"]?["record"]?["record"]?.number == 3)
            await page.post(#"{"name":"A"}"#, seq: 3)
            await page.post(#"{"name":"B","n":9}"#, seq: 4)
            let new = try await socket.next("method", "traffic.record")
            #expect(new["params"]?["record"]?["body"]?["n"]?.number == 9)
            socket.send(#"{"jsonrpc":"2.0","id":"u","method":"traffic.unsubscribe","params":{"subscription":"t1"}}"#)
            #expect(try await socket.next("id", "u")["result"]?.count == 0)
            socket.send(#"{"jsonrpc":"2.0","id":"v","method":"traffic.unsubscribe","params":{"subscription":"t1"}}"#)
            #expect(
                try await socket.next("id", "v")["error"]?["message"]?.string
                    == "Invalid params: /subscription: there is no subscription 't1'. There are no subscriptions.")
        }
    }

    @Test func limitsSubscriptionsOfAConnection() async throws {
        try await withTraffic { tool, _, _ in
            let socket = try await tool.connect()
            for number in 1...101 {
                socket.send("{\"jsonrpc\":\"2.0\",\"id\":\"\(number)\",\"method\":\"traffic.subscribe\"}")
            }
            #expect(try await socket.next("id", "100")["result"] != nil)
            #expect(try await socket.next("id", "101")["error"]?["code"]?.number == -32006)
            socket.send(#"{"jsonrpc":"2.0","id":"u","method":"traffic.unsubscribe","params":{"subscription":"t1"}}"#)
            socket.send(#"{"jsonrpc":"2.0","id":"v","method":"traffic.subscribe"}"#)
            #expect(try await socket.next("id", "v")["result"] != nil)
        }
    }

    @Test func refusesLongFilters() async throws {
        try await withTraffic { tool, _, _ in
            let text = String(repeating: "x", count: 64 << 10)
            for params in ["{\"filter\":\"text:\(text)\"}", "{\"name\":\"\(text)x\"}"] {
                let error = try await tool.error("traffic.query", params)
                #expect(error["code"]?.number == -32602)
            }
        }
    }

    @Test func refusesSubscriptionOverHTTP() async throws {
        try await withTraffic { tool, _, _ in
            let error = try await tool.error("traffic.subscribe")
            #expect(error["code"]?.number == -32600 && error["message"]?.string?.contains("/control") == true)
        }
    }

    // MARK: GET /traffic

    @Test func servesTrafficAsLinesOfJSON() async throws {
        try await withTraffic { tool, _, _ in
            let response = try await tool.get("/traffic?kind=message&filter=-name:A")
            #expect(response.status == 200 && response.fields["content-type"] == "application/x-ndjson")
            let lines = try response.body.split(separator: "\n").map { try JSON.parse($0) }
            #expect(lines.map { $0["record"]?.number } == [3])
            #expect(try await tool.get("/traffic?last=2").body.split(separator: "\n").count == 2)
            #expect(try await tool.get("/traffic?since=2020-01-01T00:00:00Z").body.split(separator: "\n").count == 3)
        }
    }

    @Test func servesTrafficAsAnHTTPArchive() async throws {
        try await withTraffic { tool, _, _ in
            let response = try await tool.get("/traffic?format=har&filter=-name:A")
            #expect(response.status == 200 && response.fields["content-type"] == "application/json")
            let log = try JSON.parse(Array(response.body.utf8))["log"]
            #expect(log?["version"]?.string == "1.2")
            #expect(log?["entries"]?[0]?["_webSocketMessages"]?[0]?["data"]?.string?.contains("\"A\"") == false)
        }
    }

    /// The records are read in several turns.
    @Test func servesLongTrafficAsAnHTTPArchive() async throws {
        try await withTraffic { tool, page, _ in
            let batch = (3...2_000).map { PageClient.post("{\"name\":\"C\",\"n\":\($0)}", seq: $0) }
            for start in stride(from: 0, to: batch.count, by: 500) {
                page.send("[\(batch[start..<min(start + 500, batch.count)].joined(separator: ","))]")
            }
            while try await page.next("method", "page.ack")["params"]?["seq"]?.number != 2_000 {}
            let response = try await tool.get("/traffic?format=har&filter=name:C")
            let entries = try JSON.parse(Array(response.body.utf8))["log"]?["entries"]
            var count = 0
            entries?[0]?["_webSocketMessages"]?.forEachElement { _ in count += 1 }
            #expect(count == 1_998)
        }
    }

    @Test(arguments: [
        ("format=xml", "/format: expected ndjson or har"),
        ("format=har&follow=1", "/follow: an HTTP Archive has an end"),
        ("last=3&last=4", "/last: it is given twice"), ("nme=A", #"/nme: unknown "nme". Did you mean "name"? "#),
        ("after=x", "/after: expected a whole number"),
        ("since=yesterday", "/since: expected a time"), ("filter=kind:x", "/filter: kind is"),
    ])
    func refusesWrongQuery(_ query: String, _ text: String) async throws {
        try await withTraffic { tool, _, _ in
            let response = try await tool.get("/traffic?\(query)")
            #expect(response.status == 400 && response.body.contains(text))
        }
    }

    @Test func trafficRequiresToken() async throws {
        try await withTraffic { tool, _, _ in
            let response = try await HTTPClient.request(path: "/traffic", port: tool.port)
            #expect(response.status == 401)
        }
    }

    private func follow(_ tool: ControlClient, _ query: String = "") async throws -> HTTPDownload {
        try await HTTPDownload(
            path: "/traffic?follow=1\(query)", port: tool.port, headers: ["Authorization: Bearer \(tool.token)"])
    }

    @Test func followStreamsNewRecords() async throws {
        try await withTraffic { tool, page, _ in
            let download = try await follow(tool, "&name=B")
            let old = try JSON.parse(try await download.nextLine() ?? "")
            #expect(old["record"]?.number == 3)
            await page.post(#"{"name":"B","n":9}"#, seq: 3)
            let new = try JSON.parse(try await download.nextLine() ?? "")
            #expect(new["body"]?["n"]?.number == 9)
        }
    }

    /// A follower that stops reading and resumes gets the records that are still kept, and the number of the others.
    @Test(arguments: [(kept: 10_000, missesSome: false), (kept: 5, missesSome: true)])
    func slowFollowerCatchesUp(kept: Int, missesSome: Bool) async throws {
        try await withTraffic {
            $0.limits.records = kept
        } _: { tool, page, _ in
            let download = try await follow(tool, "&filter=kind:message")
            let filler = String(repeating: "x", count: 100_000)
            for seq in 3...72 {
                await page.post(#"{"name":"C","filler":"\#(filler)"}"#, seq: seq)
            }
            while try await page.next("method", "page.ack")["params"]?["seq"]?.number != 72 {}
            var (seen, missed) = (0, 0)
            while seen + missed < 72, let line = try await download.nextLine() {
                let record = try JSON.parse(line)
                if record["kind"]?.string == "gap" { missed += Int(record["count"]?.number ?? 0) } else { seen += 1 }
            }
            #expect((missed > 0) == missesSome && seen + missed == 72)
        }
    }

    // MARK: Many at once

    /// Fifty tools wait for one message each among many, and none misses its own. With BRIDGED_FIGURES there are 100,000
    /// messages, and the test prints how long that took.
    @Test func manyWaitersFindTheirRecords() async throws {
        try await withServer { server, address in
            let prints = ProcessInfo.processInfo.environment["BRIDGED_FIGURES"] != nil
            let count = prints ? 100_000 : 2_000
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attach(port: address.port)
            let wanted = (1...50).map { $0 * count / 50 }
            var waiters: [(number: Int, socket: PageClient)] = []
            for number in wanted {
                let socket = try await tool.connect()
                socket.send(
                    """
                    {"jsonrpc":"2.0","id":"w","method":"messages.wait",\
                    "params":{"handler":"nativeApp","match":{"n":\(number)},"after":0,"timeoutMs":60000}}
                    """)
                waiters.append((number, socket))
            }
            let started = ContinuousClock.now
            for start in stride(from: 1, through: count, by: 1_000) {
                let batch = (start..<start + 1_000).map { PageClient.post("{\"n\":\($0)}", seq: $0) }
                page.send("[\(batch.joined(separator: ","))]")
            }
            for (number, socket) in waiters {
                let record = try await socket.next("id", "w")["result"]
                #expect(record?["body"]?["n"]?.number == Double(number))
            }
            if prints { print("\(count) messages, 50 waiting tools: \(ContinuousClock.now - started)") }
        }
    }
}

/// An archive whose records are in memory.
private final class MemoryArchive: TrafficArchive {
    private let kept = Mutex<[StoredRecord]>([])

    func append(_ records: [StoredRecord]) { kept.withLock { $0 += records } }
    func reopen() {}

    func query(_ filter: TrafficFilter, in numbers: Range<Int>, limit: Int, bytes: Int) -> [StoredRecord] {
        kept.withLock(\.self).filter { numbers.contains($0.number) && filter.matches($0) }
    }
}
