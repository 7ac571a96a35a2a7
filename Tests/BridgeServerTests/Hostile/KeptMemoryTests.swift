import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// The memory of what the daemon keeps for clients beside their connections.
@MainActor @Suite(.timeLimit(.minutes(4))) struct KeptMemoryTests {
    private func text(_ count: Int) -> String { "\"\(String(repeating: "x", count: count))\"" }

    private func waitForAck(_ page: PageClient, _ seq: Int) async throws {
        while try await page.next("method", "page.ack")["params"]?["seq"]?.number != Double(seq) {}
    }

    /// Attaches a page, which posts messages of 256 KiB. Returns when all are acknowledged.
    private func attachPage(
        posting count: Int, _ server: BridgeServer, _ address: BridgeServer.Address
    ) async throws -> PageClient {
        server.addHandler("nativeApp", .plain { _, _ in .handled })
        let (page, _) = try await PageClient.attach(port: address.port)
        for seq in 1...count {
            await page.post(text(256 << 10), seq: seq)
            try await waitForAck(page, seq)
        }
        return page
    }

    // MARK: Answers to tools

    @Test func refusesAnswersOfABatch_thatAreTooLarge() async throws {
        try await withServer {
            $0.limits.waitingBytes = 1 << 20
        } _: { server, address in
            let recorder = Recorder(server)
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post(text(400 << 10), seq: 1)
            try await waitForAck(page, 1)
            let tool = try ControlClient(address)
            let call = #"{"jsonrpc":"2.0","id":%,"method":"traffic.query"}"#
            let batch = (1...8).map { call.replacing("%", with: "\($0)") }.joined(separator: ",")
            let answers = try JSON.parse(try await tool.post("[\(batch)]").body)
            for index in 0..<8 {
                #expect(answers[index]?["id"]?.wholeNumber == index + 1)
                #expect((answers[index]?["result"] != nil) == (index < 2), "\(index)")
            }
            #expect(answers[7]?["error"]?["code"]?.number == -32006)
            #expect(answers[7]?["error"]?["message"]?.string?.contains("Configuration.limits.waitingBytes") == true)
            _ = try await recorder.problem("memoryUsedUp")
            #expect(try await tool.call("traffic.query")["records"]?.count ?? 0 > 1, "it has forgotten the answers")
        }
    }

    @Test func answersTrafficQueryInParts() async throws {
        try await withServer {
            $0.limits.messageBytes = 100_000
        } _: { server, address in
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let (page, _) = try await PageClient.attach(port: address.port)
            for seq in 1...3 { await page.post(text(60_000), seq: seq) }
            try await waitForAck(page, 3)
            let tool = try ControlClient(address)
            let first = try await tool.call("traffic.query", #"{"kind":"message"}"#)
            #expect(first["records"]?.count == 2 && first["more"]?.bool == true)
            let rest = try await tool.call(
                "traffic.query", "{\"kind\":\"message\",\"after\":\(first["next"] ?? .null)}")
            #expect(rest["records"]?.count == 1 && rest["more"]?.bool == false)
        }
    }

    /// The response is eight times as large as what all clients together may make the daemon hold.
    @Test func sendsAllTraffic_asItIsRead() async throws {
        try await withServer {
            $0.limits.memoryBytes = 2 << 20
        } _: { server, address in
            let page = try await attachPage(posting: 64, server, address)
            defer { page.drop() }
            let tool = try ControlClient(address)
            let all = try await tool.get("/traffic?kind=message").body
            #expect(all.utf8.count > 16 << 20)
            let last = try await tool.get("/traffic?kind=message&last=2").body.split(separator: "\n")
            #expect(try last.map { try JSON.parse($0)["seq"]?.number } == [63, 64])
        }
    }

    /// libwebsockets keeps what it could not write until the connection ends.
    @Test func freesAtOnce_whatAClosedConnectionLeftUnread() async throws {
        try await withServer {
            $0.limits.memoryBytes = 4 << 20
        } _: { server, address in
            let recorder = Recorder(server)
            let page = try await attachPage(posting: 48, server, address)
            defer { page.drop() }
            let token = try ControlClient(address).token
            let tool = try await WebSocketClient.connect(
                port: address.port, path: "/control", subprotocols: "bridge.control.v1, bridge.token.\(token)",
                receiveBuffer: 4_096)
            tool.stopReading()
            tool.send(#"{"jsonrpc":"2.0","id":1,"method":"traffic.query"}"#)
            _ = try await recorder.problem("memoryUsedUp")
            // A connection that waits for its peer's close frame ends only after seconds.
            try await waitForValue { done in
                server.parts.deadlines.schedule(after: .milliseconds(500)) { done.yield(()) }
            }
            #expect(server.parts.memory.budget.bytes < 1 << 20)
            tool.drop()
        }
    }

    @Test func keepsFewRecords_forAReaderOfTheTraffic_thatDoesNotRead() async throws {
        try await withServer { server, address in
            let page = try await attachPage(posting: 64, server, address)
            defer { page.drop() }
            let memory = server.parts.memory.budget
            let headers = ["Authorization: Bearer \(try ControlClient(address).token)"]
            try await HTTPClient.abandon("GET", path: "/traffic", port: address.port, headers: headers, body: "") {
                try await waitUntil { memory.bytes >= 1 << 20 }
                // The daemon looks every 20 ms whether the reader has room.
                try await waitForValue { done in
                    server.parts.deadlines.schedule(after: .milliseconds(200)) { done.yield(()) }
                }
                #expect(memory.bytes < 3 << 19, "1 MiB, and what is left of a record")
            }
        }
    }

    // MARK: Replies

    @Test func forgetsTheBodyOfAMessage_thatWaitsForItsReply() async throws {
        try await withServer { server, address in
            var bodies: [@Sendable () -> Bool] = []
            server.traffic.observe { record in
                if case .message(_, _, let body, _, _) = record.event { bodies.append(body.json.isKept) }
            }
            server.stub("slow", reply: .value(.null), delay: .seconds(1_000))
            server.stub("slowEcho", reply: .echo, delay: .seconds(1_000))
            var owed: [Reply] = []
            server.addHandler("app", .replying { _, _, reply in owed.append(reply) })
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let (page, _) = try await PageClient.attach(port: address.port)
            for (index, handler) in ["slow", "slowEcho", "app", "nativeApp"].enumerated() {
                await page.post("[{},{}]", seq: index + 1, to: handler, id: "\(index)")
                try await waitForAck(page, index + 1)
            }
            #expect(bodies.count == 4 && bodies.allSatisfy { !$0() })
            for reply in owed { reply.resolve(.null) }
        }
    }

    @Test func refusesMessages_whoseRepliesNeedTooMuch() async throws {
        try await withServer {
            $0.limits.memoryBytes = 64 << 10
        } _: { server, address in
            let recorder = Recorder(server)
            var owed: [Reply] = []
            server.addHandler("later", .replying { _, _, reply in owed.append(reply) })
            server.stub("echo", reply: .echo, delay: .milliseconds(1))
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post(text(20 << 10), seq: 1, to: "echo", id: "1")
            #expect(try await page.next("id", "1")["error"]?["message"]?.string?.contains("memoryUsedUp") == true)
            await page.post(text(4 << 10), seq: 2, to: "echo", id: "2")
            #expect(try await page.next("id", "2")["result"]?["value"]?.string?.count == 4 << 10)
            let room = 16 << 10 / OwedReplies.size
            for seq in 3..<(4 + room) { await page.post("0", seq: seq, to: "later", id: "\(seq)") }
            let error = try await page.next("id", "\(3 + room)")["error"]
            #expect(error?["code"]?.number == -32006)
            #expect(
                try await recorder.problem("memoryUsedUp").hint?.contains("Configuration.limits.memoryBytes") == true)
            owed.removeFirst().resolve(.null)
            _ = try await page.next("id", "3")
            await page.post("0", seq: 4 + room, to: "later", id: "last")
            _ = try await recorder.first {
                if case .message(_, _, _, seq: 4 + room, _) = $0.event { true } else { false }
            }
            #expect(owed.count == room)
            for reply in owed { reply.resolve(.null) }
            _ = try await page.next("id", "last")
        }
    }

    @Test func dropsOldRepliesOfThePageThatKeepsMost() async throws {
        try await withServer {
            $0.limits.memoryBytes = 4 << 20
        } _: { server, address in
            let recorder = Recorder(server)
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            var pages: [PageClient] = []
            for (number, size) in [400 << 10, 100, 400 << 10, 400 << 10].enumerated() {
                let (page, _) = try await PageClient.attach(
                    port: address.port, document: "d-\(number)", isMainFrame: false)
                await page.post(text(size), seq: 1, to: "echo", id: "1")
                _ = try await page.next("id", "1")
                pages.append(page)
            }
            _ = try await recorder.problem("memoryUsedUp")
            var isKept: [Bool] = []
            for number in 0...3 {
                pages[number].drop()
                let (page, _) = try await PageClient.attach(
                    port: address.port, document: "d-\(number)", resume: true, isMainFrame: false, waiting: [1])
                let answer = number == 0 ? try await page.nextError() : try await page.next("id", "1")
                isKept.append(answer["result"] != nil)
            }
            #expect(isKept == [false, true, true, true])
        }
    }

    // MARK: Evaluations and calls

    @Test func refusesEvaluations_thatNeedTooMuch() async throws {
        try await withServer {
            $0.limits.memoryBytes = 4 << 20
        } _: { server, address in
            let recorder = Recorder(server)
            let (client, _) = try await PageClient.attach(port: address.port)
            let page = try #require(server.pages.first)
            let (results, continuation) = AsyncStream.makeStream(of: Result<ScriptValue, ScriptError>.self)
            for _ in 1...3 {
                page.evaluate(String(repeating: " ", count: 400 << 10), timeout: .seconds(1_000)) {
                    continuation.yield($0)
                }
            }
            _ = try await recorder.problem("memoryUsedUp")
            var iterator = results.makeAsyncIterator()
            let refused = try #require(await iterator.next(isolation: #isolation))
            guard case .failure(.queueFull(1 << 20)) = refused else { Issue.record("\(refused)"); return }
            for _ in 1...2 {
                let id = try await client.next("method", "script.evaluate")["id"] ?? .null
                client.send("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"result\":{\"value\":1}}")
            }
            for _ in 1...2 { _ = await iterator.next(isolation: #isolation) }
            page.callAsync("", arguments: ScriptValue(["a": .string("b")])) { continuation.yield($0) }
            _ = try await client.next("method", "script.callAsync")
        }
    }
}
