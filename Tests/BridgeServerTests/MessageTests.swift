import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// Messages on their way to the handler, the record and the acknowledgement.
@MainActor @Suite(.timeLimit(.minutes(4))) struct MessageTests {
    private struct Greeting: ScriptMessage {
        static let name = "Greeting"
        let text: String
    }

    @Test func deliversTypedMessages_inOrder() async throws {
        try await withServer { server, address in
            let dispatcher = ScriptMessageDispatcher()
            var texts: [String] = []
            dispatcher.on(Greeting.self) { message, _ in texts.append(message.text) }
            server.addHandler("nativeApp", .dispatcher(dispatcher))
            let (page, _) = try await PageClient.attach(port: address.port)
            let batch = (1...50).map { PageClient.post("{\"name\":\"Greeting\",\"text\":\"\($0)\"}", seq: $0) }
            page.send("[\(batch.joined(separator: ","))]")
            let ack = try await page.next("method", "page.ack")
            #expect(ack["params"]?["seq"]?.number == 50)
            #expect(texts == (1...50).map(String.init))
        }
    }

    @Test func acknowledgesBatchOnce() async throws {
        try await withServer { server, address in
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let (page, _) = try await PageClient.attach(port: address.port)
            let before = await page.frames
            page.send("[\(PageClient.post("1", seq: 1)),\(PageClient.post("2", seq: 2))]")
            _ = try await page.next("method", "page.ack")
            #expect(await page.frames == before + 1)
        }
    }

    @Test func ignoresHandledMessages_whenPageSendsThemAgain() async throws {
        try await withServer { server, address in
            let collector = server.collectBodies()
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("1", seq: 1)
            await page.post("2", seq: 2)
            _ = try await page.next("method", "page.ack")
            page.drop()
            let (again, result) = try await PageClient.attach(port: address.port, resume: true)
            #expect(result["resumed"]?.bool == true && result["lastSeq"]?.number == 2)
            for seq in 1...3 { await again.post("\(seq)", seq: seq) }
            #expect(try await again.next("method", "page.ack")["params"]?["seq"]?.number == 3)
            #expect(collector.bodies == ["1", "2", "3"])
        }
    }

    @Test func continuesCounting_whenDocumentReturnsAfterItWasGone() async throws {
        try await withServer { _, address in
            let (page, _) = try await PageClient.attach(port: address.port, document: "left")
            await page.post("1", seq: 1)
            _ = try await page.next("method", "page.ack")
            page.drop()
            // Another document replaces it in the web view, and then the user goes back.
            _ = try await PageClient.attach(port: address.port, document: "next")
            let (_, result) = try await PageClient.attach(port: address.port, document: "left", resume: true)
            #expect(result["resumed"]?.bool == false && result["lastSeq"]?.number == 1)
        }
    }

    @Test func reportsProblem_whenDocumentWasAttachedToEarlierRun() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let (page, result) = try await PageClient.attach(port: address.port, resume: true)
            #expect(result["resumed"]?.bool == false && result["lastSeq"]?.number == 0)
            #expect(try await recorder.problem("attachedAnew").text.contains("p1"))
            await page.post("1", seq: 17)
            #expect(try await page.next("method", "page.ack")["params"]?["seq"]?.number == 17)
        }
    }

    @Test func sendsReply_withValueOrRejection() async throws {
        try await withServer { server, address in
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            server.addHandler("fail", .replying { _, _, reply in reply.reject("not today") })
            server.addHandler("forget", .replying { _, _, _ in })
            let (page, result) = try await PageClient.attach(port: address.port)
            #expect(result["handlers"]?[0]?["replies"]?.bool == true)
            await page.post("\"NaN\"", seq: 1, to: "echo", id: "a", types: "{\"\":\"number\"}")
            let echo = try await page.next("id", "a")["result"]
            #expect(echo?["types"]?[""]?.string == "number")
            await page.post("0", seq: 2, to: "fail", id: "b")
            #expect(try await page.next("id", "b")["error"]?["message"]?.string == "not today")
            await page.post("0", seq: 3, to: "forget", id: "c")
            #expect(try await page.next("id", "c")["error"]?["message"]?.string?.contains("did not respond") == true)
        }
    }

    @Test func recordsLateReply_afterItsMessage() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            var held: Reply?
            server.addHandler("later", .replying { _, _, reply in held = reply })
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("0", seq: 1, to: "later", id: "a")
            let message = try await recorder.first { $0.event.kind == .message }
            guard case .message(_, _, _, _, let verdict) = message.event else { return }
            #expect(verdict.outcome == .awaitingReply)
            held?.resolve(.null)
            #expect(try await recorder.first { $0.event.kind == .reply }.record > message.record)
        }
    }

    @Test func recordsProblem_whenHandlerThrows() async throws {
        struct Unhappy: Error, CustomStringConvertible { let description = "the printer is on fire." }
        try await withServer { server, address in
            let dispatcher = ScriptMessageDispatcher()
            dispatcher.on(Greeting.self) { _, _ in throw Unhappy() }
            server.addHandler("nativeApp", .dispatcher(dispatcher))
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("{\"name\":\"Greeting\",\"text\":\"hi\"}", seq: 1)
            let problem = try await recorder.problem("handlerFailed")
            #expect("\(problem)".contains("the printer is on fire") && !"\(problem)".contains(".."))
            let error = try await page.nextError()
            #expect(error["message"]?.string?.contains("the printer is on fire") == true)
            #expect(try await page.next("method", "page.ack")["params"]?["seq"]?.number == 1)
        }
    }

    @Test func notifiesAttachedPages_whenHandlersChange() async throws {
        try await withServer { server, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            server.addHandler("late", .plain { _, _ in .handled })
            #expect(try await page.next("method", "handlers.changed")["params"]?["handlers"]?.count == 1)
            server.removeHandler("late")
            #expect(try await page.next("method", "handlers.changed")["params"]?["handlers"]?.count == 0)
        }
    }

    @Test func joinsFragments() async throws {
        try await withServer { server, address in
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            let (page, _) = try await PageClient.attach(port: address.port)
            let text = String(repeating: "ü", count: 100_000)
            let bytes = Array(PageClient.post("\"\(text)\"", seq: 1, to: "echo", id: "a").utf8)
            page.send(.text, Array(bytes[..<70_001]), isFinal: false)
            page.send(.ping, [1])
            page.send(.continuation, Array(bytes[70_001..<70_002]), isFinal: false)
            page.send(.continuation, Array(bytes[70_002...]))
            #expect(try await page.next("id", "a")["result"]?["value"]?.string == text)
        }
    }

    @Test func appendsEveryRecordToLogFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("traffic.ndjson")
        for run in 1...2 {
            try await withServer {
                $0.logPath = path
            } _: { server, address in
                server.addHandler("nativeApp", .plain { _, _ in .handled })
                let (page, _) = try await PageClient.attach(port: address.port)
                await page.post("{\"name\":\"Run\",\"n\":0.1,\"at\":\"\(run)\"}", seq: 1)
                _ = try await page.next("method", "page.ack")
                // An acknowledged message is in the file.
                #expect(try folder.lines("traffic.ndjson").filter { $0["kind"]?.string == "message" }.count == run)
            }
        }
        let message = try folder.lines("traffic.ndjson").first { $0["kind"]?.string == "message" }
        #expect(message?["body"]?["n"]?.number == 0.1)
        #expect(message?["verdict"]?["outcome"]?.string == "handled")
    }
}
