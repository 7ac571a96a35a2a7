import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// Stubs, and messages that tools post on behalf of a page.
@MainActor @Suite(.timeLimit(.minutes(4))) struct StubTests {
    private func stub(_ tool: ControlClient, _ params: String) async throws -> String {
        try await tool.call("handlers.stub", params)["stub"]?.string ?? ""
    }

    @Test func stubMakesHandlerAppearAndUnstubRemovesIt() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attach(port: address.port)
            let stub = try await stub(tool, #"{"handler":"camera","reply":{"value":"photo.jpg"}}"#)
            let changed = try await page.next("method", "handlers.changed")
            #expect(changed["params"]?["handlers"]?.description == #"[{"name":"camera","replies":true}]"#)
            let script = try await HTTPClient.request(path: "/bridge.js", port: address.port).body
            #expect(script.contains(#""handlers":[{"name":"camera","replies":true}]"#))
            _ = try await tool.call("handlers.unstub", "{\"stub\":\"\(stub)\"}")
            #expect(try await page.next("method", "handlers.changed")["params"]?["handlers"]?.count == 0)
        }
    }

    /// As the handlers of its opener, and as faults.
    @Test func stubOfAWebView_answersTheWindowsThatItsPagesOpen() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            _ = try await stub(tool, #"{"handler":"camera","webView":"main","reply":{"value":7}}"#)
            let (popup, attached) = try await PageClient.attach(port: address.port, webView: "main.popup")
            #expect(attached["handlers"]?.description == #"[{"name":"camera","replies":true}]"#)
            await popup.post("1", seq: 1, to: "camera", id: "r")
            #expect(try await popup.next("id", "r")["result"]?["value"]?.number == 7)
            let (other, answer) = try await PageClient.attach(port: address.port, document: "d-2", webView: "modal")
            #expect(answer["handlers"]?.count == 0)
            withExtendedLifetime(other) {}
        }
    }

    @Test func refusesMoreStubsThanThereMayBe() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            for number in 1...256 { _ = try await stub(tool, #"{"handler":"h\#(number)","reply":{"none":true}}"#) }
            let error = await #expect(throws: RPCError.self) {
                try await self.stub(tool, #"{"handler":"camera","reply":{"none":true}}"#)
            }
            #expect(error?.code == .invalidRequest)
            _ = try await tool.call("handlers.unstub", #"{"stub":"s1"}"#)
            #expect(try await stub(tool, #"{"handler":"camera","reply":{"none":true}}"#) == "s257")
        }
    }

    /// A stub's reply, and the members of the answer that the page gets.
    nonisolated static let replies = [
        (#"{"value":{"ok":true}}"#, #""result":{"value":{"ok":true}}"#),
        (#"{"value":null,"types":{"":"undefined"}}"#, #""result":{"value":null,"types":{"":"undefined"}}"#),
        (#"{"error":"no camera"}"#, #""error":{"code":-32003,"message":"no camera"}"#),
        (#"{"echo":true}"#, #""result":{"value":{"a":1}}"#),
        (#"{"none":true}"#, #""result":{"value":null,"types":{"":"undefined"}}"#),
    ]

    @Test(arguments: replies)
    func stubAnswersPage(_ reply: String, _ answer: String) async throws {
        try await withServer { server, address in
            server.addHandler("camera", .replying { _, _, reply in reply.reject("not the stub") })
            let recorder = Recorder(server)
            let stub = try await stub(ControlClient(address), "{\"handler\":\"camera\",\"reply\":\(reply)}")
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post(#"{"a":1}"#, seq: 1, to: "camera", id: "r")
            let response = try await page.next("id", "r")
            #expect(response.description == #"{"jsonrpc":"2.0","id":"r",\#(answer)}"#)
            let record = try await recorder.first { $0.event.kind == .message }
            guard case .message(_, _, _, _, let verdict) = record.event else { return }
            #expect(verdict.stub == stub && verdict.reason == nil)
        }
    }

    @Test func delayedStubAnswersLater() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            _ = try await stub(tool, #"{"handler":"slow","reply":{"value":1},"delayMs":30}"#)
            let (page, _) = try await PageClient.attach(port: address.port)
            let start = ContinuousClock.now
            await page.post("1", seq: 1, to: "slow", id: "r")
            _ = try await page.next("id", "r")
            #expect(ContinuousClock.now - start >= .milliseconds(30))
        }
    }

    @Test func newestMatchingStubAnswersAndCountsHits() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            _ = try await stub(tool, #"{"handler":"h","reply":{"value":"any"}}"#)
            _ = try await stub(tool, #"{"handler":"h","match":{"name":"B"},"reply":{"value":"B"}}"#)
            _ = try await stub(tool, #"{"handler":"h","webView":"modal","reply":{"value":"modal"}}"#)
            let (page, _) = try await PageClient.attach(port: address.port)
            func answer(_ body: String) async throws -> String? {
                try await tool.call("message.post", "{\"handler\":\"h\",\"body\":\(body)}")["value"]?.string
            }
            #expect(try await answer(#"{"name":"A"}"#) == "any")
            #expect(try await answer(#"{"name":"B","more":[1]}"#) == "B")
            let handlers = try await tool.call("handlers.list")["handlers"] ?? .null
            #expect(handlers[0]?["kind"]?.string == "stub" && handlers[0]?["messages"]?.number == 2)
            #expect(handlers[0]?["stubs"]?[1]?["hits"]?.number == 1)
            #expect(handlers[1]?["webView"]?.string == "modal" && handlers[1]?["stubs"]?.count == 3)
            page.drop()
        }
    }

    @Test func stubWithoutReplyRecordsMessage() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            _ = try await stub(ControlClient(address), #"{"handler":"nativeApp","reply":{"none":true}}"#)
            let (page, result) = try await PageClient.attach(port: address.port)
            #expect(result["handlers"]?.description == #"[{"name":"nativeApp","replies":false}]"#)
            await page.post(#"{"name":"X"}"#, seq: 1)
            #expect(try await page.next("method", "page.ack")["params"]?["seq"]?.number == 1)
            #expect(recorder.records.contains { $0.event.kind == .message })
        }
    }

    @Test func dropsMessageThatMatchesNoStub() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            _ = try await stub(
                ControlClient(address), #"{"handler":"h","match":{"name":"B"},"reply":{"echo":true}}"#)
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post(#"{"name":"A"}"#, seq: 1, to: "h", id: "r")
            #expect(try await page.next("id", "r")["error"]?["code"]?.number == -32001)
            _ = try await recorder.problem("noStubFits")
        }
    }

    // MARK: message.post

    @Test func postAsPageReturnsReply() async throws {
        try await withServer { server, address in
            server.addHandler(
                "echo",
                .replying { body, context, reply in
                    #expect(context.page == "p1" && context.seq < 0)
                    reply.resolve(body)
                })
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attach(port: address.port)
            let result = try await tool.call(
                "message.post", #"{"handler":"echo","body":"NaN","types":{"":"number"}}"#)
            #expect(result.description == #"{"value":"NaN","types":{"":"number"}}"#)
            page.drop()
        }
    }

    @Test func postAsPageToPlainHandlerReturnsVerdict() async throws {
        try await withServer { server, address in
            server.addHandler("plain", .plain { _, _ in .handled })
            let (page, _) = try await PageClient.attach(port: address.port)
            let result = try await ControlClient(address).call("message.post", #"{"handler":"plain","body":1}"#)
            #expect(result["types"]?[""]?.string == "undefined")
            #expect(result["verdict"]?["outcome"]?.string == "handled" && result["record"]?.number == 2)
            page.drop()
        }
    }

    @Test func saysWhyPostAsPageFailed() async throws {
        try await withServer { server, address in
            let tool = try ControlClient(address)
            let dispatcher = ScriptMessageDispatcher()
            server.addHandler("nativeApp", .dispatcher(dispatcher))
            server.addHandler(
                "never",
                .replying { _, _, reply in
                    withExtendedLifetime(reply) {}; kept = reply
                })
            server.addHandler("rejects", .replying { _, _, reply in reply.reject("not today") })
            let (page, _) = try await PageClient.attach(port: address.port)
            let missing = try await tool.error("message.post", #"{"handler":"nobody","body":1}"#)
            #expect(missing["code"]?.number == -32001)
            #expect(missing["data"]?["handlers"]?.description == #"["nativeApp","never","rejects"]"#)
            let dropped = try await tool.error("message.post", #"{"handler":"nativeApp","body":{"name":"X"}}"#)
            #expect(dropped["code"]?.number == -32003 && dropped["data"]?["reason"]?.string == "unknownName")
            let rejected = try await tool.error("message.post", #"{"handler":"rejects","body":1}"#)
            #expect(rejected["message"]?.string == "not today")
            let late = try await tool.error("message.post", #"{"handler":"never","body":1,"timeoutMs":20}"#)
            #expect(late["code"]?.number == -32005 && late["data"]?["timeoutMs"]?.number == 20)
            kept = nil
            page.drop()
        }
    }
}

/// A reply that is held back until the test ends.
@MainActor private var kept: Reply?
