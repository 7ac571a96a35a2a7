import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// Messages that a document sends by beacon as it leaves (docs/protocol.md, "Leaving").
@MainActor @Suite(.timeLimit(.minutes(4))) struct BeaconTests {
    private func beacon(
        _ address: BridgeServer.Address, document: String, seqs: ClosedRange<Int>, attach: String = ""
    ) async throws -> Int {
        let messages = seqs.map { PageClient.post("\($0)", seq: $0) }.joined(separator: ",")
        return try await post("{\"document\":\"\(document)\",\(attach)\"messages\":[\(messages)]}", address)
    }

    /// The members with which a document introduces itself.
    private func introduction(_ document: String, _ others: String = "", resume: Bool = false) -> String {
        """
        "attach":{"document":"\(document)","webView":"main","frame":{"url":"http://localhost/","origin":"http://localhost",\
        "isMainFrame":true},"title":"","readyState":"loading","userAgent":"","resume":\(resume)\(others)},
        """
    }

    private func post(_ beacon: String, _ address: BridgeServer.Address) async throws -> Int {
        try await HTTPClient.request(
            "POST", path: "/beacon", port: address.port,
            headers: ["Origin: http://localhost", "Content-Type: text/plain"], body: beacon
        ).status
    }

    @Test func handlesMessagesOfBeaconOnce() async throws {
        try await withServer { server, address in
            let collector = server.collectBodies()
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("1", seq: 1)
            _ = try await page.next("method", "page.ack")
            page.close(1001)
            let status = try await beacon(address, document: "d-1", seqs: 1...3)
            #expect(status == 204)
            #expect(collector.bodies == ["1", "2", "3"])
        }
    }

    @Test func handlesBeacon_ofDocumentThatNeverAttached() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let status = try await beacon(address, document: "d-7", seqs: 1...1, attach: introduction("d-7"))
            #expect(status == 204)
            #expect(recorder.records.map(\.event.kind) == [.page, .page, .message])
        }
    }

    @Test func handlesMessagesThatWaitForPreviousDocument_beforeItStops() async throws {
        try await withServer {
            $0.limits.beaconTimeout = .seconds(30)
        } _: { server, address in
            let collector = server.collectBodies()
            let attach = introduction("d-7", #","previous":{"document":"d-6","seq":1}"#)
            let status = try await beacon(address, document: "d-7", seqs: 1...1, attach: attach)
            #expect(status == 204)
            #expect(collector.bodies == [])
            await server.stop()
            #expect(collector.bodies == ["1"])
        }
    }

    /// Other clients wait while the messages are handled that were held back.
    @Test func holdsBackNoMoreMessagesThanABatchMayHave() async throws {
        try await withServer {
            $0.limits.beaconTimeout = .seconds(30)
            $0.limits.batchMessages = 10
        } _: { server, address in
            let (collector, recorder) = (server.collectBodies(), Recorder(server))
            let attach = introduction("d-7", #","previous":{"document":"d-6","seq":1}"#)
            let first = try await beacon(address, document: "d-7", seqs: 1...9, attach: attach)
            #expect(first == 204 && collector.bodies == [])
            let second = try await beacon(address, document: "d-7", seqs: 10...12)
            #expect(second == 204 && collector.bodies == (1...12).map(String.init))
            #expect(try await recorder.problem("heldBackTooMuch").text.contains(" 10 messages"))
        }
    }

    /// They are handled in several turns, because other clients wait meanwhile.
    @Test func handlesWhatManyDocumentsHoldBack_oldestFirst() async throws {
        try await withServer {
            $0.limits.beaconTimeout = .seconds(600)
        } _: { server, address in
            let collector = server.collectBodies()
            var pages: [PageClient] = []
            for number in 1...300 {
                let page = try await PageClient(port: address.port)
                await page.sendAttach(document: "n-\(number)", webView: "w\(number)", previous: ("d-6", 1))
                _ = try await page.next("id", "attach")
                await page.post("\(number)", seq: 1)
                pages.append(page)
            }
            #expect(try await beacon(address, document: "d-6", seqs: 1...1, attach: introduction("d-6")) == 204)
            for page in pages { _ = try await page.next("method", "page.ack") }
            #expect(collector.bodies == ["1"] + (1...300).map(String.init))
        }
    }

    @Test func repliesToMessageOfBeacon_ifDocumentComesBack() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("nativeApp", .replying { body, _, reply in reply.resolve(body) })
            let (page, _) = try await PageClient.attach(port: address.port)
            page.close(1000)
            _ = try await recorder.first { if case .page(.detached) = $0.event { true } else { false } }
            #expect(try await beacon(address, document: "d-1", seqs: 1...1) == 204)
            let (again, _) = try await PageClient.attach(port: address.port, resume: true, waiting: [1])
            #expect(try await again.nextResult()["value"]?.number == 1)
        }
    }

    @Test func handlesMessageOnce_ifItWaitsInTwoSessionsOfADocument() async throws {
        try await withServer { server, address in
            let collector = server.collectBodies()
            let recorder = Recorder(server)
            let first = try await PageClient(port: address.port)
            await first.sendAttach(document: "d-2", previous: ("d-1", 1))
            await first.post("1", seq: 1)
            first.close(1001)
            _ = try await recorder.first { if case .page(.detached) = $0.event { true } else { false } }
            // A third document ends the session of the second, which then comes back.
            let (_, _) = try await PageClient.attach(port: address.port, document: "d-3")
            let second = try await PageClient(port: address.port)
            await second.sendAttach(document: "d-2", previous: ("d-1", 1))
            await second.post("1", seq: 1)
            await second.post("2", seq: 2)
            while true { if try await second.next("method", "page.ack")["params"]?["seq"]?.number == 2 { break } }
            #expect(collector.bodies == ["1", "2"])
        }
    }

    @Test func refusesBeaconWithoutOrigin() async throws {
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

    @Test func completesEvaluation_whenResultComesByBeacon() async throws {
        try await withServer {
            $0.limits.beaconTimeout = .seconds(30)
        } _: { server, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            let result = Task { try await server.pages[0].evaluate("1") as ScriptValue }
            let id = try #require(try await page.next("method", "script.evaluate")["id"]?.description)
            page.close(1001)
            let body = #"{"document":"d-1","messages":[{"jsonrpc":"2.0","id":\#(id),"result":{"value":5}}]}"#
            #expect(try await post(body, address) == 204)
            #expect(try await result.value.number == 5)
        }
    }

    /// A document has attached to the next run of the daemon, and leaves before it knows.
    @Test func ignoresResultOfAnotherRun() async throws {
        try await withServer {
            $0.limits.beaconTimeout = .seconds(30)
        } _: { server, address in
            let (page, attached) = try await PageClient.attach(port: address.port)
            let run = try #require(attached["run"]?.wholeNumber)
            let result = Task { try await server.pages[0].evaluate("1") as ScriptValue }
            let id = try #require(try await page.next("method", "script.evaluate")["id"]?.description)
            page.close(1001)
            for (run, value) in [(run - 1, 4), (run, 5)] {
                let answer = #"{"jsonrpc":"2.0","id":\#(id),"result":{"value":\#(value)}}"#
                #expect(try await post(#"{"document":"d-1","run":\#(run),"messages":[\#(answer)]}"#, address) == 204)
            }
            #expect(try await result.value.number == 5)
        }
    }

    @Test func handlesBeacon_ofDocumentThatAttachedToAnEarlierRun() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let collector = server.collectBodies()
            let attach = #""run":5,"# + introduction("d-1", resume: true)
            #expect(try await beacon(address, document: "d-1", seqs: 7...8, attach: attach) == 204)
            #expect(collector.bodies == ["7", "8"])
            _ = try await recorder.problem("attachedAnew")
        }
    }

    /// It is not known any more which of the document's messages were handled.
    @Test func refusesBeacon_ofDocumentThatThisRunHasForgotten() async throws {
        try await withServer { server, address in
            let run = try #require(try await PageClient.attach(port: address.port).1["run"]?.wholeNumber)
            let attach = "\"run\":\(run)," + introduction("d-9", resume: true)
            #expect(try await beacon(address, document: "d-9", seqs: 1...1, attach: attach) == 400)
        }
    }

    @Test func refusesBeacon_thatIntroducesAnotherDocument() async throws {
        try await withServer { _, address in
            let status = try await beacon(address, document: "d-1", seqs: 1...1, attach: introduction("d-2"))
            #expect(status == 400)
        }
    }

    @Test func handlesRestOfBeacon_whenPartIsBad() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            _ = try await PageClient.attach(port: address.port)
            let update = #"{"jsonrpc":"2.0","method":"page.update","params":{}}"#
            let body = #"{"document":"d-1","messages":[\#(update),\#(PageClient.post("1", seq: 1))]}"#
            #expect(try await post(body, address) == 204)
            #expect(try await recorder.problem("badBeacon").text.contains("p1"))
            _ = try await recorder.first { $0.event.kind == .message }
        }
    }

    /// The messages that a document posted as it left come before those of the next one, even if they arrive later.
    @Test func holdsBackNextDocument_untilBeaconArrives() async throws {
        try await withServer {
            $0.limits.beaconTimeout = .seconds(30)
        } _: { server, address in
            let collector = server.collectBodies()
            let (page, _) = try await PageClient.attach(port: address.port)
            page.close(1001)
            let next = try await PageClient(port: address.port)
            await next.sendAttach(document: "d-2", previous: ("d-1", 1))
            _ = try await next.next("id", "attach")
            await next.post("\"next\"", seq: 1)
            let body = #"{"document":"d-1","messages":[\#(PageClient.post("\"left\"", seq: 1))]}"#
            #expect(try await post(body, address) == 204)
            _ = try await next.next("method", "page.ack")
            #expect(collector.bodies == [#""left""#, #""next""#])
        }
    }

    /// Two documents left before they attached, so the daemon learns of them from their beacons. The beacon of the first one
    /// arrives last.
    @Test func keepsOrder_ofDocumentsThatLeftBeforeTheyAttached() async throws {
        try await withServer {
            $0.limits.beaconTimeout = .seconds(30)
        } _: { server, address in
            let collector = server.collectBodies()
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
                #expect(try await post(beacon, address) == 204)
            }
            _ = try await next.next("method", "page.ack")
            #expect(collector.bodies == [#""first""#, #""second""#, #""third""#])
        }
    }

    @Test func stopsWaitingForBeacon_afterTimeout() async throws {
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

    @Test func handlesBeacon_whenNextDocumentHasAttached() async throws {
        try await withServer { server, address in
            let collector = server.collectBodies()
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            page.close(1001)
            _ = try await recorder.first { if case .page(.detached) = $0.event { true } else { false } }
            let (next, _) = try await PageClient.attach(port: address.port, document: "d-2")
            let status = try await beacon(address, document: "d-1", seqs: 1...2)
            #expect(status == 204)
            #expect(collector.bodies == ["1", "2"])
            _ = next
        }
    }

    @Test func reportsURL_ofDocumentThatNeverAttached() async throws {
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
