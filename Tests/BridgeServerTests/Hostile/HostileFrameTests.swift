import BridgeServer
import BridgeTraffic
import TestSupport
import Testing

/// WebSocket frames that no browser sends (RFC 6455). Meanwhile the messages of another page are answered.
@MainActor @Suite(.timeLimit(.minutes(4))) struct HostileFrameTests {
    /// Frames, with the status code that closes the connection; nil if it closes without one.
    nonisolated static let broken: [(name: String, bytes: [UInt8], code: UInt16?)] = [
        ("reserved bit 1, as of compressed data", [0xc1, 0x82, 0, 0, 0, 0, 0x7b, 0x7d], 1002),
        ("reserved bit 2", [0xa1, 0x82, 0, 0, 0, 0, 0x7b, 0x7d], 1002),
        ("reserved bit 3", [0x91, 0x82, 0, 0, 0, 0, 0x7b, 0x7d], 1002),
        ("opcode 3", [0x83, 0x80, 0, 0, 0, 0], 1002),
        ("opcode 15", [0x8f, 0x80, 0, 0, 0, 0], 1002),
        ("a continuation of nothing", [0x80, 0x82, 0, 0, 0, 0, 0x7b, 0x7d], 1002),
        ("a text within a text", [0x01, 0x81, 0, 0, 0, 0, 0x7b, 0x81, 0x81, 0, 0, 0, 0, 0x7d], 1002),
        ("a ping in pieces", [0x09, 0x81, 0, 0, 0, 0, 0x61], 1002),
        ("a ping of 126 bytes", [0x89, 0xfe, 0, 0x7e, 0, 0, 0, 0] + [UInt8](repeating: 0x61, count: 126), nil),
        ("a length of 2^63", [0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], nil),
        ("a length of 2^62", [0x81, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7b], 1009),
        ("a length of 2^32", [0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x7b], 1009),
        ("a binary message", [0x82, 0x81, 0, 0, 0, 0, 0x61], 1003),
        ("half a character", [0x81, 0x83, 0, 0, 0, 0, 0x22, 0xc3, 0x22], 1007),
    ]

    @Test func closesConnectionAfterBrokenFrame() async throws {
        try await withEcho { _, address in
            for frame in Self.broken {
                let page = try await PageClient(port: address.port)
                page.write(frame.bytes)
                #expect(await page.closeCode() == frame.code, "\(frame.name)")
            }
        }
    }

    /// Beginnings of a message, and the frame that announces a length.
    nonisolated static let positions: [(begin: [UInt8], opcode: WebSocketClient.Opcode, isFinal: Bool)] = [
        ([], .text, true), ([], .text, false), (fragment, .continuation, true), (fragment, .continuation, false),
        ([], .ping, true), ([], .pong, true), ([], .close, true), (fragment, .ping, true),
    ]
    nonisolated private static let fragment: [UInt8] = WebSocketClient.frame(.text, [0x61], isFinal: false)

    /// A fragment and a continuation frame of 2^63−1 bytes are 22 bytes that once ended the daemon.
    @Test(arguments: WebSocketClient.awkwardLengths)
    func survivesAnyLengthOfAFrame(_ length: UInt64) async throws {
        try await withEcho { _, address in
            for (begin, opcode, isFinal) in Self.positions {
                let page = try await PageClient(port: address.port)
                let isControl = opcode.rawValue >= WebSocketClient.Opcode.close.rawValue
                let header = WebSocketClient.header(opcode, length: length, isFinal: isFinal)
                page.write(begin + header + (length == 0 ? [] : [0x61]))
                let isTooLong = isControl ? length > 125 : length > 16 << 20
                guard isTooLong else { page.drop(); continue }
                // libwebsockets itself hangs up on long control frames, and on lengths of 2^63 and more.
                let code: UInt16? = isControl || length >= 1 << 63 ? nil : 1009
                #expect(await page.closeCode() == code, "opcode \(opcode), final: \(isFinal)")
            }
        }
    }

    @Test func ignoresWhatFollowsTheCloseFrameOfThePeer() async throws {
        try await withServer { server, address in
            let collector = server.collectBodies()
            let (page, _) = try await PageClient.attach(port: address.port)
            let posts = (1...2).map { WebSocketClient.frame(.text, Array(PageClient.post("\($0)", seq: $0).utf8)) }
            page.write(posts[0] + WebSocketClient.frame(.close, [0x03, 0xe8]) + posts[1])
            #expect(await page.closeCode() == 1000)
            #expect(collector.bodies == ["1"])
        }
    }

    @Test func acceptsAnyNumberOfFragments() async throws {
        try await withEcho { _, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            let text = Array(
                PageClient.post("\"\(String(repeating: "x", count: 20_000))\"", seq: 1, to: "echo", id: "r").utf8)
            page.send(.text, [], isFinal: false)
            for byte in text {
                page.send(.continuation, [byte], isFinal: false)
                page.send(.continuation, [], isFinal: false)
            }
            page.send(.continuation, [])
            #expect(try await page.next("id", "r")["result"]?["value"]?.string?.count == 20_000)
        }
    }

    @Test func answersThousandsOfPings() async throws {
        try await withEcho { _, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            let ping = WebSocketClient.frame(.ping, Array("how are you?".utf8))
            for _ in 1...50 { page.write((1...200).flatMap { _ in ping }) }
            await page.post("1", seq: 1, to: "echo", id: "r")
            #expect(try await page.next("id", "r")["result"]?["value"]?.number == 1)
        }
    }

    @Test func refusesDeeplyNestedMessageAndKeepsServingThePage() async throws {
        try await withEcho { _, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
                page.send(String(repeating: open, count: 100_000) + "1" + String(repeating: close, count: 100_000))
                #expect(try await page.nextError()["code"]?.number == -32700)
            }
            await page.post("1", seq: 1, to: "echo", id: "r")
            #expect(try await page.next("id", "r")["result"]?["value"]?.number == 1)
        }
    }

    /// With compression, a few bytes could become gigabytes.
    @Test func negotiatesNoCompression() async throws {
        try await withServer { _, address in
            let page = try await WebSocketClient.connect(
                port: address.port, headers: ["Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"])
            #expect(page.extensions == nil)
        }
    }

    @Test(arguments: [
        "bridge.page.v0", "bridge.page.v1x", "BRIDGE.PAGE.V1", "bridge.control.v1", "bridge.page.v1, bridge.control.v1",
        "bridge.page.v1, bridge.page.v1", "bridged.main-queue", "http", ",", String(repeating: "a,", count: 4_000),
    ])
    func refusesWrongSubprotocols(_ subprotocols: String) async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let refusal = await #expect(throws: WebSocketClient.Refused.self) {
                try await WebSocketClient.connect(port: address.port, subprotocols: subprotocols)
            }
            #expect(refusal?.status == 400)
            _ = try await recorder.problem("unknownSubprotocol")
        }
    }

    @Test(arguments: ["8", "0", "14", "13, 13", "thirteen"])
    func refusesOtherVersions(_ version: String) async throws {
        try await withServer { _, address in
            let response = try await HTTPClient.request(
                path: "/page", port: address.port,
                headers: [
                    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                    "Sec-WebSocket-Protocol: bridge.page.v1", "Origin: http://localhost",
                    "Sec-WebSocket-Version: \(version)",
                ])
            #expect(response.status == 426 && response.fields["sec-websocket-version"] == "13")
        }
    }

    /// Runs `body` with a server whose handler `echo` keeps answering another page.
    private func withEcho(
        _ body: @MainActor (BridgeServer, BridgeServer.Address) async throws -> Void
    ) async throws {
        try await withServer { server, address in
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            _ = try await Bystander.watching(address.port) { try await body(server, address) }
        }
    }
}
