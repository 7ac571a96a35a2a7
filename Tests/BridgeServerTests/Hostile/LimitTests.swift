import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

@testable import BridgeServer

/// The limits that protect clients from each other. Each refusal is recorded, and counted in `/metrics`.
@MainActor @Suite(.timeLimit(.minutes(4))) struct LimitTests {
    /// - Returns: how many problems with that code `/metrics` counts.
    private func count(_ code: String, _ address: BridgeServer.Address) async throws -> Int {
        let text = try await HTTPClient.request(path: "/metrics", port: address.port).body
        let line = text.split(separator: "\n").first { $0.contains("code=\"\(code)\"") }
        return line.flatMap { Double($0.split(separator: " ")[1]) }.map { Int($0) } ?? 0
    }

    @Test(arguments: [true, false])
    func refusesConnectionsBeyondTheLimit(perAddress: Bool) async throws {
        try await withServer {
            if perAddress { $0.limits.connectionsPerAddress = 3 } else { $0.limits.connections = 3 }
        } _: { server, address in
            let recorder = Recorder(server)
            var idle: [PageClient] = []
            for _ in 1...3 { idle.append(try await PageClient(port: address.port)) }
            #expect(try await HTTPClient.exchange("GET /health HTTP/1.1\r\n\r\n", port: address.port) == "")
            let problem = try await recorder.problem("tooManyConnections")
            #expect(problem.text.contains("127.0.0.1"))
            #expect(problem.hint?.contains(perAddress ? "limits.connectionsPerAddress" : "limits.connections") == true)
            idle.removeLast().close(1000)
            // There is room again when the daemon has noticed that it left.
            while try await HTTPClient.exchange(
                "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", port: address.port) == ""
            {}
            #expect(try await count("tooManyConnections", address) >= 1)
        }
    }

    @Test func countsEachAddressSeparately() {
        var limits = BridgeServer.Configuration.Limits()
        (limits.connections, limits.connectionsPerAddress) = (5, 2)
        var admission = Admission(limits: limits)
        let (one, other) = (PeerAddress(text: "192.168.1.5"), PeerAddress(text: "fe80::/64"))
        for _ in 1...2 { admission.enter(one) }
        #expect(admission.refusal(of: one) != nil && admission.refusal(of: other) == nil)
        admission.leave(one)
        #expect(admission.refusal(of: one) == nil)
        for _ in 1...4 { admission.enter(other) }
        #expect(admission.refusal(of: PeerAddress(text: "10.0.0.1")) != nil)
    }

    @Test func acceptsHeadersUpToTheLimit() async throws {
        try await withServer {
            $0.limits.headerBytes = 4_096
        } _: { server, address in
            func request(_ bytes: Int) async throws -> String {
                let cookie = String(repeating: "a", count: bytes)
                return try await HTTPClient.exchange(
                    "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: \(cookie)\r\n\r\n",
                    port: address.port)
            }
            let recorder = Recorder(server)
            let (small, large) = (try await request(3_000), try await request(5_000))
            #expect(small.contains(" 200 ") && large == "")
            #expect(try await recorder.problem("malformedRequest").text.contains("4096"))
            #expect(try await count("malformedRequest", address) == 1)
        }
    }

    @Test func acceptsBodiesUpToTheLimit() async throws {
        try await withServer {
            $0.limits.messageBytes = 2_000
        } _: { server, address in
            let response = try await HTTPClient.request(
                "POST", path: "/beacon", port: address.port, headers: ["Origin: http://localhost"],
                body: String(repeating: " ", count: 3_000))
            #expect(response.status == 413 && response.body.contains("Configuration.limits.messageBytes"))
            #expect(try await count("bodyTooLarge", address) == 1)
        }
    }

    @Test(arguments: [(levels: 8, code: nil as Double?), (levels: 9, code: -32700)])
    func readsMessagesUpToTheNestingLimit(message: (levels: Int, code: Double?)) async throws {
        try await withServer {
            $0.limits.nesting = 10
        } _: { server, address in
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            let (page, _) = try await PageClient.attach(port: address.port)
            // The message and its params add two levels. Brackets in strings do not count.
            let body =
                String(repeating: "[", count: message.levels) + "\"\\\"[[[[[[[[[[[[\""
                + String(repeating: "]", count: message.levels)
            await page.post(body, seq: 1, to: "echo", id: "r")
            let answer = try await page.next("jsonrpc", "2.0")
            #expect(answer["error"]?["code"]?.number == message.code)
            if message.code != nil {
                #expect(answer["error"]?["message"]?.string?.contains("10 levels") == true)
                #expect(try await count("parseError", address) == 1)
            }
        }
    }

    @Test func limitsTheWaitingCallsOfATool() async throws {
        try await withServer {
            $0.limits.waitingCalls = 2
        } _: { server, address in
            let recorder = Recorder(server)
            let client = try ControlClient(address)
            let wait = #"{"jsonrpc":"2.0","id":ID,"method":"pages.wait","params":{"timeoutMs":60000}}"#
            let calls = (1...3).map { wait.replacing("ID", with: "\($0)") }
            let tool = PageClient(
                try await WebSocketClient.connect(
                    port: address.port, path: "/control",
                    subprotocols: "bridge.control.v1, bridge.token.\(client.token)"))
            for call in calls { tool.send(call) }
            let error = try await tool.nextError()
            #expect(error["code"]?.number == -32006 && error["data"]?["limit"]?.number == 2)
            #expect(
                try await recorder.problem("tooManyCalls").hint?.contains("Configuration.limits.waitingCalls") == true)
            // The limit applies to a batch, too: the calls within it are answered when a page attaches.
            async let batch = client.post("[\(calls.joined(separator: ","))]")
            let (page, _) = try await PageClient.attach(port: address.port)
            let answers = try JSON.parse(try await batch.body)
            #expect(answers[0]?["result"] != nil && answers[1]?["result"] != nil)
            #expect(answers[2]?["error"]?["code"]?.number == -32006)
            #expect(try await count("tooManyCalls", address) == 2)
            page.close(1000)
        }
    }

    @Test func closesConnectionAfterTooManyErrors() async throws {
        try await withServer {
            $0.limits.errors = 2
        } _: { _, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            for _ in 1...2 { page.send("{") }
            #expect(await page.closeCode() == 1008)
            #expect(try await count("tooManyErrors", address) == 1)
        }
    }

    @Test func acceptsTheOtherMessagesOfABeaconWithABadOne() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let (page, _) = try await PageClient.attach(port: address.port, document: "d-1")
            let messages = [
                PageClient.post("1", seq: 1), #"{"jsonrpc":"2.0","method":"message.post","params":{"seq":"2"}}"#,
                #"{"jsonrpc":"2.0","method":"message.post"}"#, "7", PageClient.post("3", seq: 3),
            ]
            let response = try await HTTPClient.request(
                "POST", path: "/beacon", port: address.port, headers: ["Origin: http://localhost"],
                body: #"{"document":"d-1","messages":[\#(messages.joined(separator: ","))]}"#)
            #expect(response.status == 204)
            let seqs = recorder.records.compactMap { record -> Int? in
                if case .message(_, _, _, let seq, _) = record.event { seq } else { nil }
            }
            #expect(seqs == [1, 3])
            #expect(try await count("badBeacon", address) == 3)
            page.close(1000)
        }
    }
}
