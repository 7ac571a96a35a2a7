import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// Mistakes of a page: each gets its error, and other pages are not affected.
@MainActor @Suite(.timeLimit(.minutes(4))) struct BadInputTests {
    /// Texts that are errors on an attached connection, with their JSON-RPC codes.
    nonisolated static let mistakes: [(text: String, code: Double)] = [
        ("{nonsense", -32700),
        ("", -32700),
        (String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000), -32700),
        ("{\"jsonrpc\":\"2.0\",\"method\":\"message.post\",\"params\":{\"body\":\"\\ud800\"}}", -32700),
        ("[]", -32600),
        ("42", -32600),
        ("{\"method\":\"message.post\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"method\":7}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"page.update\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"page.fly\"}", -32601),
        ("{\"jsonrpc\":\"2.0\",\"method\":\"page.fly\"}", -32601),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message.post\"}", -32602),
        (
            "{\"jsonrpc\":\"2.0\",\"method\":\"message.post\",\"params\":{\"seq\":\"1\",\"handler\":\"nativeApp\",\"body\":1}}",
            -32602
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"method\":\"message.post\",\"params\":{\"seq\":1.5,\"handler\":\"nativeApp\",\"body\":1}}",
            -32602
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"method\":\"message.post\",\"params\":{\"seq\":1,\"handler\":null,\"body\":1}}",
            -32602
        ),
        ("{\"jsonrpc\":\"2.0\",\"method\":\"message.post\",\"params\":{\"seq\":1,\"handler\":\"nativeApp\"}}", -32602),
        ("{\"jsonrpc\":\"2.0\",\"method\":\"page.update\",\"params\":{\"title\":7}}", -32602),
        ("{\"jsonrpc\":\"2.0\",\"method\":\"console.entry\",\"params\":{\"level\":\"log\"}}", -32602),
    ]

    @Test(arguments: mistakes)
    func answersMistake_andGoesOnServing(mistake: (text: String, code: Double)) async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            page.send(mistake.text)
            let error = try await page.nextError()
            #expect(error["code"]?.number == mistake.code)
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            await page.post("\"still here\"", seq: 1, to: "echo", id: "r")
            let answer = try await page.next("id", "r")
            #expect(answer["result"]?["value"]?.string == "still here")
            #expect(recorder.records.contains { $0.event.kind == .problem })
        }
    }

    @Test func refusesMessageBeforeAttach() async throws {
        try await withServer { _, address in
            let page = try await PageClient(port: address.port)
            await page.post("1", seq: 1)
            let error = try await page.nextError()
            #expect(error["code"]?.number == -32600)
            #expect(error["message"]?.string?.contains("page.attach") == true)
        }
    }

    @Test func refusesSecondAttach() async throws {
        try await withServer { _, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.sendAttach(document: "d-2")
            #expect(try await page.nextError()["code"]?.number == -32600)
        }
    }

    @Test func closesConnectionThatNeverAttaches() async throws {
        try await withServer {
            $0.limits.attachTimeout = .milliseconds(50)
        } _: { server, address in
            let recorder = Recorder(server)
            let page = try await PageClient(port: address.port)
            #expect(await page.closeCode() == 1008)
            #expect(try await recorder.problem("attachMissing").hint?.contains("page.attach") == true)
        }
    }

    @Test func closesAfterSixteenErrors() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            for _ in 1...16 { page.send("{") }
            #expect(await page.closeCode() == 1008)
            _ = try await recorder.problem("tooManyErrors")
        }
    }

    @Test func closesOnlyThisConnection_whenMessageIsTooBig() async throws {
        try await withServer {
            $0.limits.messageBytes = 10_000
        } _: { server, address in
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            let recorder = Recorder(server)
            let (other, _) = try await PageClient.attach(port: address.port, document: "d-2", webView: "modal")
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("\"\(String(repeating: "x", count: 20_000))\"", seq: 1)
            #expect(await page.closeCode() == 1009)
            #expect(try await recorder.problem("messageTooBig").text.contains("10000"))
            await other.post("1", seq: 1, to: "echo", id: "r")
            #expect(try await other.next("id", "r")["result"]?["value"]?.number == 1)
        }
    }

    @Test func closesWith1009IfFragmentsAreTooBigTogether() async throws {
        try await withServer {
            $0.limits.messageBytes = 10_000
        } _: { _, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000)
            page.send(.text, piece, isFinal: false)
            for _ in 1...3 { page.send(.continuation, piece, isFinal: false) }
            #expect(await page.closeCode() == 1009)
        }
    }

    @Test func closesWith1003IfMessageIsBinary() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            page.send(.binary, [1, 2, 3])
            #expect(await page.closeCode() == 1003)
            _ = try await recorder.problem("binaryMessage")
        }
    }

    @Test func closesWith1007IfTextIsNotUTF8() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            page.send(.text, [UInt8(ascii: "\""), 0xff, UInt8(ascii: "\"")])
            #expect(await page.closeCode() == 1007)
            _ = try await recorder.problem("invalidUTF8")
        }
    }

    /// The first mistake of these is one of JSON, or a limit.
    @Test(arguments: ["neither JSON nor", "{}", "[\"", "1 2 ", String(repeating: "[", count: 3_000), "\"\\ud800\""])
    func closesWith1007IfTextIsNeitherJSONNorUTF8(_ text: String) async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            for tail: [UInt8] in [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80]] {
                let page = try await PageClient(port: address.port)
                page.send(.text, Array(text.utf8) + tail)
                #expect(await page.closeCode() == 1007)
            }
            _ = try await recorder.problem("invalidUTF8")
        }
    }

    @Test func listsHandlers_whenHandlerIsUnknown() async throws {
        try await withServer { server, address in
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("1", seq: 1, to: "nativeApq")
            let error = try await page.nextError()
            #expect(error["code"]?.number == -32001)
            #expect(error["data"]?["handlers"]?[0]?.string == "nativeApp")
            let hint = try await recorder.problem("noHandler").hint
            #expect(hint?.contains("nativeApp") == true)
            #expect(hint?.hasSuffix(". See docs/write-a-handler.md#typed-messages.") == true)
        }
    }
}
