import BridgeProtocol
import BridgeTraffic
import Foundation
import TestSupport
import Testing

/// A daemon that receives mutated requests while a page posts messages.
///
/// BRIDGED_FUZZ_CONVERSATIONS sets the number of requests; BRIDGED_SEED repeats a run.
@Suite struct SocketFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["BRIDGED_FUZZ_CONVERSATIONS"].flatMap(Int.init) ?? 400
    private static let seed = environment["BRIDGED_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 32)
    private static let threads = 4

    @Test(.timeLimit(.minutes(SocketFuzzTests.count / 2_000 + 4)))
    func servesItsPage_besideMutatedRequests() async throws {
        print("Socket fuzzing with BRIDGED_SEED=\(Self.seed)")
        let daemon = try RunningDaemon("--port", "0", "--json")
        let listening = try await daemon.listening()
        let port = listening.port
        let token = try DiscoveryFileContents(path: listening.discoveryFile).token
        let (page, _) = try await PageClient.attach(port: port)
        let work = Task {
            var posted = 0
            while !Task.isCancelled {
                await page.post(#"{"name":"ActionButton","path":"/","icon":"plus"}"#, seq: posted + 1)
                let ack = try? await page.next("method", "page.ack")
                if ack == nil, Task.isCancelled { break }
                posted += 1
                try #require(ack?["params"]?["seq"]?.number == Double(posted))
            }
            return posted
        }
        try await withThrowingTaskGroup { group in
            for thread in 0..<Self.threads {
                group.addTask { try await Self.talk(port, token, seed: Self.seed + UInt64(thread)) }
            }
            try await group.waitForAll()
        }
        work.cancel()
        let posted = try await work.value
        #expect(posted > 0, "BRIDGED_SEED=\(Self.seed)")
        let health = try await HTTPClient.request(path: "/health", port: port)
        #expect(health.status == 200)
        daemon.signal(SIGTERM)
        #expect(try await daemon.exitStatus() == 0, "BRIDGED_SEED=\(Self.seed)")
    }

    private static func talk(_ port: UInt16, _ token: String, seed: UInt64) async throws {
        try await offThread {
            Result {
                var mutator = Mutator(seed: seed)
                let all = [conversations(port, token), lengths(port, token)]
                for _ in 0..<count / threads {
                    let bytes = mutator.mutate(mutator.pick(mutator.pick(all)))
                    try RawConversation.hold(mutator.pieces(of: bytes), port: port)
                }
            }
        }.get()
    }

    /// Valid requests of pages, tools and browsers.
    private static func conversations(_ port: UInt16, _ token: String) -> [[UInt8]] {
        let attach = PageClient.attach(document: "d-\(token.prefix(4))", webView: "fuzz")
        let posts =
            "[\((1...3).map { PageClient.post(#"{"name":"RegisterPushToken"}"#, seq: $0) }.joined(separator: ","))]"
        let call = #"{"jsonrpc":"2.0","id":1,"method":"traffic.query","params":{"limit":3,"filter":"kind:page"}}"#
        let beacon = #"{"document":"d-0","messages":[\#(PageClient.post("1", seq: 1))]}"#
        let page = handshake(port, "/page", ["Origin: http://localhost", "Sec-WebSocket-Protocol: bridge.page.v1"])
        let tool = handshake(
            port, "/control", ["Sec-WebSocket-Protocol: bridge.control.v1, bridge.token.\(token)"])
        let frames = WebSocketClient.frame(.text, Array(attach.utf8)) + WebSocketClient.frame(.text, Array(posts.utf8))
        let fragments =
            WebSocketClient.frame(.text, Array(attach.utf8.prefix(9)), isFinal: false)
            + WebSocketClient.frame(.ping, [1]) + WebSocketClient.frame(.continuation, Array(attach.utf8.dropFirst(9)))
        return [
            page + frames, page + fragments + WebSocketClient.frame(.close, [3, 0xe8]),
            tool + WebSocketClient.frame(.text, Array(call.utf8)),
            request(port, "POST /rpc", ["Authorization: Bearer \(token)", "Content-Type: application/json"], call),
            request(port, "POST /beacon", ["Origin: http://localhost", "Content-Type: text/plain"], beacon),
            request(port, "GET /traffic?follow=1&filter=kind:page", ["Authorization: Bearer \(token)"]),
            request(port, "GET /bridge.js?web-view=main", ["User-Agent: x"]), request(port, "GET /demo/", []),
        ]
    }

    /// Frames of awkward lengths, alone and within a message, from pages and tools.
    private static func lengths(_ port: UInt16, _ token: String) -> [[UInt8]] {
        let page = handshake(port, "/page", ["Origin: http://localhost", "Sec-WebSocket-Protocol: bridge.page.v1"])
        let tool = handshake(
            port, "/control", ["Sec-WebSocket-Protocol: bridge.control.v1, bridge.token.\(token)"])
        let begin = WebSocketClient.frame(.text, [0x61], isFinal: false)
        var conversations: [[UInt8]] = []
        for start in [page, page + begin, tool, tool + begin] {
            for length in WebSocketClient.awkwardLengths {
                for opcode: WebSocketClient.Opcode in [.text, .continuation, .binary, .ping, .pong, .close] {
                    for isFinal in [true, false] {
                        let header: [UInt8] = WebSocketClient.header(opcode, length: length, isFinal: isFinal)
                        conversations.append(start + header + [0x61])
                    }
                }
            }
        }
        return conversations
    }

    private static func handshake(_ port: UInt16, _ path: String, _ headers: [String]) -> [UInt8] {
        let upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        return request(port, "GET \(path)", upgrade + ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="] + headers)
    }

    private static func request(_ port: UInt16, _ start: String, _ headers: [String], _ body: String = "") -> [UInt8] {
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let lines = ["\(start) HTTP/1.1", "Host: localhost:\(port)"] + headers + length + ["", body]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}
