import BridgeProtocol
import BridgeServer
import BridgeTraffic
import TestSupport
import Testing

/// Clients that send wrong messages by the thousand: the daemon stops reading at `Limits.errors`, and records little.
@MainActor @Suite(.timeLimit(.minutes(4))) struct JunkTests {
    private static func batch(_ message: String, _ count: Int) -> String {
        "[\(Array(repeating: message, count: count).joined(separator: ","))]"
    }

    private func problems(_ recorder: Recorder) -> [(code: String, count: Int?)] {
        recorder.records.compactMap { record in
            if case .problem(let code, _, _, _, let count) = record.event { (code, count) } else { nil }
        }
    }

    // MARK: Pages

    nonisolated static let junk: [(message: String, code: String)] = [
        ("1", "invalidRequest"), ("{}", "invalidRequest"),
        (#"{"jsonrpc":"2.0","method":"page.fly"}"#, "methodNotFound"),
        (#"{"jsonrpc":"2.0","method":"message.post"}"#, "invalidParams"),
        (#"{"jsonrpc":"2.0","method":"message.post","params":{"seq":7,"handler":7,"body":7}}"#, "invalidParams"),
    ]

    @Test(arguments: junk, [true, false])
    func endsABatchAfterSixteenErrors(_ junk: (message: String, code: String), isAttached: Bool) async throws {
        let recorder = try await withServer { server, address in
            let recorder = Recorder(server)
            let bodies = server.collectBodies()
            let page = try await PageClient(port: address.port)
            if isAttached {
                await page.sendAttach(document: "d-1")
                _ = try await page.next("id", "attach")
            }
            page.send("[\(Self.batch(junk.message, 1_000).dropFirst().dropLast()),\(PageClient.post("1", seq: 1))]")
            await page.post("2", seq: 2)
            #expect(await page.closeCode() == 1008)
            #expect(bodies.bodies.isEmpty)
            return recorder
        }
        let found = problems(recorder)
        #expect(found.count == 7 && found.filter { $0.code == "tooManyErrors" }.count == 1)
        let errors = found.filter { $0.code != "tooManyErrors" }
        #expect(errors.allSatisfy { $0.code == junk.code || !isAttached })
        #expect(errors.reduce(0) { $0 + ($1.count ?? 1) } == 16, "the last record counts those without one")
    }

    /// The close frame comes after the rest of a reply that the page has not read yet. Linux buffers 4 MiB of it at most.
    @Test func saysWhyItCloses_thoughAReplyIsHalfSent() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            let socket = try await WebSocketClient.connect(port: address.port, receiveBuffer: 65_536)
            let page = PageClient(socket)
            await page.sendAttach(document: "d-1")
            _ = try await page.next("id", "attach")
            socket.stopReading()
            await page.post("\"\(String(repeating: "x", count: 5 << 20))\"", seq: 1, to: "echo", id: "r")
            _ = try await recorder.first { $0.event.kind == .reply }
            page.send(.binary, [1])
            _ = try await recorder.problem("binaryMessage")
            socket.readOn()
            #expect(await page.closeCode() == 1003)
        }
    }

    @Test func refusesBatchesBeyondTheLimit() async throws {
        try await withServer {
            $0.limits.batchMessages = 10
        } _: { server, address in
            let bodies = server.collectBodies()
            let (page, _) = try await PageClient.attach(port: address.port)
            let posts = (1...11).map { PageClient.post("\($0)", seq: $0) }
            // The two readers of a page's frames must agree.
            for separator in [",", ", "] {
                page.send("[\(posts.joined(separator: separator))]")
                let error = try await page.nextError()
                #expect(error["code"]?.number == -32600)
                #expect(error["message"]?.string == "Invalid request: a batch has at most 10 messages, found 11")
            }
            page.send("[\(posts.dropLast().joined(separator: ","))]")
            #expect(try await page.next("method", "page.ack")["params"]?["seq"]?.number == 10)
            #expect(bodies.bodies.count == 10)

            let headers = ["Origin: http://localhost", "Content-Type: application/json"]
            let body = #"{"document":"d-1","messages":[\#(posts.joined(separator: ","))]}"#
            for path in ["/beacon", "/call"] {
                let response = try await HTTPClient.request(
                    "POST", path: path, port: address.port, headers: headers, body: body)
                #expect(response.status == 400 && response.body.contains("10 messages"))
            }
        }
    }

    @Test func endsABeaconAfterSixteenErrors() async throws {
        let recorder = try await withServer { server, address in
            let recorder = Recorder(server)
            let bodies = server.collectBodies()
            _ = try await PageClient.attach(port: address.port)
            let junk = Self.batch("1", 1_000).dropFirst().dropLast()
            let messages = "[\(PageClient.post("1", seq: 1)),\(junk),\(PageClient.post("2", seq: 2))]"
            let response = try await HTTPClient.request(
                "POST", path: "/beacon", port: address.port, headers: ["Origin: http://localhost"],
                body: "{\"document\":\"d-1\",\"messages\":\(messages)}")
            #expect(response.status == 400)
            #expect(bodies.bodies == ["1"])
            return recorder
        }
        let found = problems(recorder)
        #expect(found.allSatisfy { $0.code == "badBeacon" } && found.count == 7)
        #expect(found.reduce(0) { $0 + ($1.count ?? 1) } == 17)
    }

    /// Makes a document known by a call, without a connection.
    private func call(
        from document: String, in webView: String, isMainFrame: Bool = true, _ address: BridgeServer.Address
    ) async throws {
        let attach = try #require(try JSON.parse(PageClient.attach(document: document, webView: webView))["params"])
            .text
        let params = isMainFrame ? attach : attach.replacing("MainFrame\":true", with: "MainFrame\":false")
        let response = try await HTTPClient.request(
            "POST", path: "/call", port: address.port,
            headers: ["Origin: http://localhost", "Content-Type: application/json", "Connection: close"],
            body: #"{"attach":\#(params),"messages":[\#(PageClient.post("1", seq: 1))]}"#)
        #expect(response.status == 204)
    }

    /// Documents that call once and never connect are forgotten sooner if there are many.
    @Test func forgetsDocumentsBeyondTheLimit() async throws {
        try await withServer {
            $0.limits.connections = 3
        } _: { server, address in
            for number in 1...20 {
                try await call(from: "d-\(number)", in: "w\(number)", address)
            }
            #expect(server.pages.count == 6)
            #expect(server.pages.last?.webView == "w20")
        }
    }

    /// The documents of one web view that have only called are forgotten beyond a limit of their own. When a new main
    /// document takes their place, all of them leave, though not at once.
    @Test func forgetsDocumentsThatOnlyCall() async throws {
        let recorder = try await withServer {
            // A busy machine takes longer than usual for so many calls.
            $0.limits.awayTimeout = .seconds(600)
        } _: { server, address in
            let recorder = Recorder(server)
            for number in 1...300 {
                try await call(from: "d-\(number)", in: "main", isMainFrame: number == 300, address)
            }
            #expect(server.pages.count == 256)
            _ = try await PageClient.attach(port: address.port, document: "new")
            _ = try await recorder.first { _ in server.pages.count == 1 }
            return recorder
        }
        let left = recorder.records.compactMap { record in
            if case .page(.gone) = record.event { record.page } else { nil }
        }
        #expect(left.count >= 300 && Set(left).count == left.count)
    }

    /// The demo's route, which needs no token, reads as many values as any message may have.
    @Test func refusesTooManyValues_alsoFromTheDemo() async throws {
        try await withServer { _, address in
            let values = repeatElement("0", count: 130_000).joined(separator: ",")
            let response = try await HTTPClient.request(
                "POST", path: "/demo/notification_tokens", port: address.port,
                headers: ["Origin: http://localhost", "Content-Type: application/json"],
                body: "{\"token\":\"t\",\"more\":[\(values)]}")
            #expect(response.status == 400)
        }
    }

    // MARK: Tools

    @Test(arguments: [
        "1", #"{"jsonrpc":"2.0","id":1,"method":"daemon.fly"}"#,
        #"{"jsonrpc":"2.0","method":"pages.wait","params":{"x":1}}"#,
    ])
    func closesAToolsConnection_afterSixteenErrorsInARow(_ junk: String) async throws {
        try await withServer { _, address in
            let client = try ControlClient(address)
            let tool = try await client.connect()
            for round in 1...3 {
                tool.send(Self.batch(junk, 15))
                tool.send(#"{"jsonrpc":"2.0","id":"r\#(round)","method":"daemon.info"}"#)
                #expect(try await tool.next("id", "r\(round)")["result"] != nil, "a right call ends the row")
            }
            tool.send(Self.batch(junk, 1_000))
            let code = await tool.closeCode()
            #expect(code == 1008)
        }
    }

    @Test func endsAToolsRequestAfterSixteenErrors() async throws {
        try await withServer {
            $0.limits.batchMessages = 100_000
        } _: { server, address in
            let client = try ControlClient(address)
            let responses = try JSON.parse(try await client.post(Self.batch("1", 50_000)).body)
            #expect(responses.count == 17)
            #expect(
                responses[16]?["error"]?["message"]?.string?.hasSuffix("the rest of the batch was not read") == true)
            #expect(try JSON.parse(try await client.post(Self.batch("1", 16)).body).count == 16)
            let tooLong = try JSON.parse(try await client.post(Self.batch("1", 100_001)).body)
            #expect(tooLong["error"]?["code"]?.number == -32600)
        }
    }

    // MARK: Refusals

    @Test func countsRepeatedRefusals() async throws {
        let recorder = try await withServer {
            // A busy machine may be late with a handshake, which would be a problem of its own.
            $0.limits.handshakeTimeout = .seconds(600)
        } _: { server, address in
            let recorder = Recorder(server)
            for origin in ["https://evil.example", "https://other.example"] {
                for _ in 1...40 {
                    _ = try? await WebSocketClient.connect(port: address.port, origin: origin)
                }
            }
            return recorder
        }
        let found = problems(recorder)
        #expect(found.allSatisfy { $0.code == "originNotAllowed" })
        #expect(found.reduce(0) { $0 + ($1.count ?? 1) } == 80, "no refusal is left out")
        // Six for each origin; on a busy machine the refusals take longer than one counting lasts.
        #expect((12...24).contains(found.count), "each origin has records that count the others: \(found)")
    }
}
