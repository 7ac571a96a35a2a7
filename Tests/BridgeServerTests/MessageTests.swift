import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// A message's way to its handler, its record and its acknowledgement.
@MainActor @Suite(.timeLimit(.minutes(1))) struct MessageTests {
    private struct Greeting: ScriptMessage {
        static let name = "Greeting"
        let text: String
    }

    @Test func handsTypedMessagesToTheirHandler_inOrder() async throws {
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

    @Test func acknowledgesABatchOnce() async throws {
        try await withServer { server, address in
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let (page, _) = try await PageClient.attach(port: address.port)
            let before = await page.frames
            page.send("[\(PageClient.post("1", seq: 1)),\(PageClient.post("2", seq: 2))]")
            _ = try await page.next("method", "page.ack")
            #expect(await page.frames == before + 1)
        }
    }

    @Test func dropsWhatItHasHandled_whenPageSendsAgain() async throws {
        try await withServer { server, address in
            var bodies: [Double] = []
            server.addHandler(
                "nativeApp",
                .plain { body, _ in
                    bodies.append(body.json.number ?? 0)
                    return .handled
                })
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("1", seq: 1)
            await page.post("2", seq: 2)
            _ = try await page.next("method", "page.ack")
            page.drop()
            let (again, result) = try await PageClient.attach(port: address.port, resume: true)
            #expect(result["resumed"]?.bool == true && result["lastSeq"]?.number == 2)
            for seq in 1...3 { await again.post("\(seq)", seq: seq) }
            #expect(try await again.next("method", "page.ack")["params"]?["seq"]?.number == 3)
            #expect(bodies == [1, 2, 3])
        }
    }

    @Test func goesOnCounting_whenADocumentComesBackAfterItWasGivenUp() async throws {
        try await withServer { _, address in
            let (page, _) = try await PageClient.attach(port: address.port, document: "left")
            await page.post("1", seq: 1)
            _ = try await page.next("method", "page.ack")
            page.drop()
            // Another document of the web view takes its place; then the user goes back.
            _ = try await PageClient.attach(port: address.port, document: "next")
            let (_, result) = try await PageClient.attach(port: address.port, document: "left", resume: true)
            #expect(result["resumed"]?.bool == false && result["lastSeq"]?.number == 1)
        }
    }

    @Test func saysSo_whenADocumentWasAttachedToAnEarlierRun() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let (page, result) = try await PageClient.attach(port: address.port, resume: true)
            #expect(result["resumed"]?.bool == false && result["lastSeq"]?.number == 0)
            #expect(try await recorder.problem("attachedAnew").text.contains("p1 was attached to an earlier run"))
            await page.post("1", seq: 17)
            #expect(try await page.next("method", "page.ack")["params"]?["seq"]?.number == 17)
        }
    }

    @Test func answersReplyingHandler_withValueOrRejection() async throws {
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

    @Test func recordsProblem_whenHandlerThrows_andServesOn() async throws {
        struct Unhappy: Error, CustomStringConvertible { let description = "the printer is on fire" }
        try await withServer { server, address in
            let dispatcher = ScriptMessageDispatcher()
            dispatcher.on(Greeting.self) { _, _ in throw Unhappy() }
            server.addHandler("nativeApp", .dispatcher(dispatcher))
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("{\"name\":\"Greeting\",\"text\":\"hi\"}", seq: 1)
            let problem = try await recorder.problem("handlerFailed")
            #expect("\(problem)".contains("the printer is on fire"))
            let told = try await page.nextError()
            #expect(told["message"]?.string?.contains("the printer is on fire") == true)
            #expect(try await page.next("method", "page.ack")["params"]?["seq"]?.number == 1)
        }
    }

    @Test func tellsAttachedPagesOfHandlersThatComeAndGo() async throws {
        try await withServer { server, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            server.addHandler("late", .plain { _, _ in .handled })
            #expect(try await page.next("method", "handlers.changed")["params"]?["handlers"]?.count == 1)
            server.removeHandler("late")
            #expect(try await page.next("method", "handlers.changed")["params"]?["handlers"]?.count == 0)
        }
    }

    @Test func gathersFragments() async throws {
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

    @Test func appendsEveryRecordToTheLog() async throws {
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
                // What is acknowledged is in the file.
                #expect(try folder.lines("traffic.ndjson").filter { $0["kind"]?.string == "message" }.count == run)
            }
        }
        let message = try folder.lines("traffic.ndjson").first { $0["kind"]?.string == "message" }
        #expect(message?["body"]?["n"]?.number == 0.1)
        #expect(message?["verdict"]?["outcome"]?.string == "handled")
    }
}

/// What a document leaves behind (docs/protocol.md, "Leaving").
@MainActor @Suite(.timeLimit(.minutes(1))) struct BeaconTests {
    private func beacon(
        _ address: BridgeServer.Address, document: String, seqs: ClosedRange<Int>, attach: String = ""
    ) async throws -> Int {
        let messages = seqs.map { PageClient.post("\($0)", seq: $0) }.joined(separator: ",")
        return try await HTTPClient.request(
            "POST", path: "/beacon", port: address.port,
            headers: ["Origin: http://localhost", "Content-Type: text/plain"],
            body: "{\"document\":\"\(document)\",\(attach)\"messages\":[\(messages)]}"
        ).status
    }

    @Test func handlesWhatTheConnectionDidNotBring_once() async throws {
        try await withServer { server, address in
            var bodies: [Double] = []
            server.addHandler(
                "nativeApp",
                .plain { body, _ in
                    bodies.append(body.json.number ?? 0)
                    return .handled
                })
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("1", seq: 1)
            _ = try await page.next("method", "page.ack")
            page.close(1001)
            let status = try await beacon(address, document: "d-1", seqs: 1...3)
            #expect(status == 204)
            #expect(bodies == [1, 2, 3])
        }
    }

    @Test func handlesWhatADocumentLeft_thatNeverAttached() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let body = """
                {"document":"d-7","attach":{"document":"d-7","webView":"main","frame":{"url":"http://localhost/","origin":\
                "http://localhost","isMainFrame":true},"title":"","readyState":"loading","userAgent":"","resume":false},\
                "messages":[\(PageClient.post("1", seq: 1))]}
                """
            let response = try await HTTPClient.request(
                "POST", path: "/beacon", port: address.port, headers: ["Origin: http://localhost"], body: body)
            #expect(response.status == 204)
            #expect(recorder.records.map(\.event.kind) == [.page, .page, .message])
        }
    }

    @Test func refusesClientThatIsNoBrowser() async throws {
        try await withServer { _, address in
            let response = try await HTTPClient.request("POST", path: "/beacon", port: address.port, body: "{}")
            #expect(response.status == 403)
        }
    }

    @Test func refusesUnknownDocument() async throws {
        try await withServer { _, address in
            let status = try await beacon(address, document: "d-9", seqs: 1...1)
            #expect(status == 400)
        }
    }

    @Test func takesAnswersToEvaluations_thatALeavingDocumentLeaves() async throws {
        try await withServer {
            $0.limits.beaconTimeout = .seconds(30)
        } _: { server, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            let result = Task { try await server.pages[0].evaluate("1") as ScriptValue }
            let id = try #require(try await page.next("method", "script.evaluate")["id"]?.description)
            page.close(1001)
            let body = #"{"document":"d-1","messages":[{"jsonrpc":"2.0","id":\#(id),"result":{"value":5}}]}"#
            let response = try await HTTPClient.request(
                "POST", path: "/beacon", port: address.port, headers: ["Origin: http://localhost"], body: body)
            #expect(response.status == 204)
            #expect(try await result.value.number == 5)
        }
    }

    @Test func tellsOfWhatItCantTake_andTakesTheRest() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            _ = try await PageClient.attach(port: address.port)
            let update = #"{"jsonrpc":"2.0","method":"page.update","params":{}}"#
            let body = #"{"document":"d-1","messages":[\#(update),\#(PageClient.post("1", seq: 1))]}"#
            let response = try await HTTPClient.request(
                "POST", path: "/beacon", port: address.port, headers: ["Origin: http://localhost"], body: body)
            #expect(response.status == 204)
            #expect(try await recorder.problem("badBeacon").text.contains("p1"))
            _ = try await recorder.first { $0.event.kind == .message }
        }
    }

    /// What a document posted as it left comes before what the next one posts, whatever is faster.
    @Test func keepsBackTheNextDocument_untilTheBeaconIsThere() async throws {
        try await withServer {
            $0.limits.beaconTimeout = .seconds(30)
        } _: { server, address in
            var bodies: [String] = []
            server.addHandler(
                "nativeApp",
                .plain { body, _ in
                    bodies.append(body.string ?? "")
                    return .handled
                })
            let (page, _) = try await PageClient.attach(port: address.port)
            page.close(1001)
            let next = try await PageClient(port: address.port)
            await next.sendAttach(document: "d-2", previous: ("d-1", 1))
            _ = try await next.next("id", "attach")
            await next.post("\"next\"", seq: 1)
            let body = #"{"document":"d-1","messages":[\#(PageClient.post("\"left\"", seq: 1))]}"#
            let response = try await HTTPClient.request(
                "POST", path: "/beacon", port: address.port, headers: ["Origin: http://localhost"], body: body)
            #expect(response.status == 204)
            _ = try await next.next("method", "page.ack")
            #expect(bodies == ["left", "next"])
        }
    }

    /// The one before left before it was attached: its beacon is the first that is heard of it. The one before that is
    /// slower still.
    @Test func keepsOrder_ofDocumentsThatLeftBeforeTheyAttached() async throws {
        try await withServer {
            $0.limits.beaconTimeout = .seconds(30)
        } _: { server, address in
            var bodies: [String] = []
            server.addHandler(
                "nativeApp",
                .plain { body, _ in
                    bodies.append(body.string ?? "")
                    return .handled
                })
            let next = try await PageClient(port: address.port)
            await next.sendAttach(document: "d-3", previous: ("d-2", 1))
            _ = try await next.next("id", "attach")
            await next.post("\"third\"", seq: 1)
            for (document, body, previous) in [
                ("d-2", "second", #","previous":{"document":"d-1","seq":1}"#), ("d-1", "first", ""),
            ] {
                let beacon = """
                    {"document":"\(document)","attach":{"document":"\(document)","webView":"main","frame":{"url":"http://localhost/",\
                    "origin":"http://localhost","isMainFrame":true},"title":"","readyState":"loading","userAgent":"","resume":false\
                    \(previous)},"messages":[\(PageClient.post("\"\(body)\"", seq: 1))]}
                    """
                let response = try await HTTPClient.request(
                    "POST", path: "/beacon", port: address.port, headers: ["Origin: http://localhost"], body: beacon)
                #expect(response.status == 204)
            }
            _ = try await next.next("method", "page.ack")
            #expect(bodies == ["first", "second", "third"])
        }
    }

    @Test func doesNotWaitForEver_forABeacon() async throws {
        try await withServer { server, address in
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let (page, _) = try await PageClient.attach(port: address.port)
            page.close(1001)
            let next = try await PageClient(port: address.port)
            await next.sendAttach(document: "d-2", previous: ("d-1", 1))
            await next.post("1", seq: 1)
            let acknowledged = try await next.next("method", "page.ack")["params"]?["seq"]?.number
            #expect(acknowledged == 1)
        }
    }

    @Test func takesBeacon_whenTheNextDocumentIsThereAlready() async throws {
        try await withServer { server, address in
            var bodies: [Double] = []
            server.addHandler(
                "nativeApp",
                .plain { body, _ in
                    bodies.append(body.json.number ?? 0)
                    return .handled
                })
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            page.close(1001)
            _ = try await recorder.first { if case .page(.detached) = $0.event { true } else { false } }
            let (next, _) = try await PageClient.attach(port: address.port, document: "d-2")
            let status = try await beacon(address, document: "d-1", seqs: 1...2)
            #expect(status == 204)
            #expect(bodies == [1, 2])
            _ = next
        }
    }

    @Test func takesBeacon_ofADocumentThatIntroducesItself() async throws {
        try await withServer { server, address in
            var urls: [String] = []
            server.addHandler(
                "nativeApp",
                .plain { _, context in
                    urls.append(context.url)
                    return .handled
                })
            let attach = """
                "attach":{"document":"d-1","webView":"main","frame":{"url":"http://localhost/gone","origin":"http://localhost",\
                "isMainFrame":true},"title":"","readyState":"loading","userAgent":"","resume":false},
                """
            let status = try await beacon(address, document: "d-1", seqs: 1...1, attach: attach)
            #expect(status == 204)
            #expect(urls == ["http://localhost/gone"] && server.pages.isEmpty)
        }
    }
}
