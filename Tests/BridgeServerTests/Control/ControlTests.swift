import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// How calls arrive and how they are answered (docs/control.md), for all methods.
@MainActor @Suite(.timeLimit(.minutes(4))) struct ControlTests {
    @Test func answersRequestsOverHTTPAndWebSocket() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            #expect(try await tool.call("daemon.info")["name"]?.string == "bridged")
            let socket = try await tool.connect()
            socket.send(#"{"jsonrpc":"2.0","id":"a","method":"daemon.info"}"#)
            #expect(try await socket.next("id", "a")["result"]?["url"]?.string == address.url)
        }
    }

    @Test func answersBatchInOrderWithoutNotifications() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let answers = try JSON.parse(
                try await tool.post(
                    """
                    [{"jsonrpc":"2.0","id":1,"method":"pages.wait","params":{"timeoutMs":20}},
                     {"jsonrpc":"2.0","method":"pages.list"}, 7,
                     {"jsonrpc":"2.0","id":2,"method":"pages.list"}]
                    """
                ).body)
            #expect(answers.count == 3)
            #expect(answers[0]?["id"]?.number == 1 && answers[0]?["error"]?["code"]?.number == -32005)
            #expect(answers[1]?["error"]?["code"]?.number == -32600)
            #expect(answers[2]?["id"]?.number == 2 && answers[2]?["result"]?["pages"]?.count == 0)
        }
    }

    @Test func answersNotificationOverHTTPWithNoContent() async throws {
        try await withServer { _, address in
            let response = try await ControlClient(address).post(#"{"jsonrpc":"2.0","method":"pages.list"}"#)
            #expect(response.status == 204 && response.body.isEmpty)
        }
    }

    /// Bodies of `POST /rpc`, with the HTTP status and the error code of the answer.
    nonisolated static let mistakes: [(body: String, status: Int, code: Double)] = [
        ("{nonsense", 400, -32700), ("", 400, -32700), ("[]", 200, -32600), ("7", 200, -32600),
        (#"{"method":"pages.list","id":1}"#, 200, -32600), (#"{"jsonrpc":"2.0","id":1,"result":1}"#, 200, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":"pages.lst"}"#, 200, -32601),
        (#"{"jsonrpc":"2.0","id":1,"method":"pages.list","params":[1]}"#, 200, -32602),
    ]

    @Test(arguments: mistakes)
    func answersMistakeOverHTTPWithError(mistake: (body: String, status: Int, code: Double)) async throws {
        try await withServer { _, address in
            let response = try await ControlClient(address).post(mistake.body)
            #expect(response.status == mistake.status)
            #expect(try JSON.parse(response.body)["error"]?["code"]?.number == mistake.code)
        }
    }

    @Test func unknownMethodErrorNamesNearestMethod() async throws {
        try await withServer { _, address in
            let error = try await ControlClient(address).error("pages.lst")
            #expect(error["message"]?.string == #"Unknown method "pages.lst". Did you mean "pages.list"?"#)
        }
    }

    @Test func closesConnectionAfterTooManyErrors() async throws {
        try await withServer { _, address in
            let socket = try await ControlClient(address).connect()
            for _ in 1...16 { socket.send("{nonsense") }
            #expect(await socket.closeCode() == 1008)
        }
    }

    /// A wait ends when its tool leaves, so that waits do not accumulate.
    @Test func waitEndsWhenToolHangsUp() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            func calls() async throws -> Double {
                try await tool.call("daemon.info")["counters"]?["calls"]?.number ?? 0
            }
            try await HTTPClient.abandon(
                "POST", path: "/rpc", port: address.port,
                headers: ["Authorization: Bearer \(tool.token)", "Content-Type: application/json"],
                body: #"{"jsonrpc":"2.0","id":1,"method":"messages.wait","params":{"timeoutMs":86400000}}"#
            ) { _ = try await calls() }
            // Calls are counted when they end. So there is one more than this loop makes when the wait has ended.
            var (asked, counted) = (0.0, 0.0)
            while counted <= asked {
                counted = try await calls()
                asked += 1
            }
            #expect(counted == asked + 1)
        }
    }

    // MARK: Token

    @Test func refusesCallWithoutTokenOrWithWrongToken() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let tool = try ControlClient(address)
            let call = #"{"jsonrpc":"2.0","id":1,"method":"pages.list"}"#
            for token in ["", tool.token + "0", String(tool.token.dropLast()) + "x"] {
                let response = try await tool.post(call, token: token)
                #expect(response.status == 401 && response.fields["www-authenticate"] == "Bearer")
                #expect(try JSON.parse(response.body)["error"]?["code"]?.number == -32004)
            }
            #expect(try await recorder.problem("tokenNeeded").hint?.contains("Authorization: Bearer") == true)
        }
    }

    @Test func refusesOtherContentTypes() async throws {
        try await withServer { _, address in
            let call = #"{"jsonrpc":"2.0","id":1,"method":"pages.list"}"#
            let response = try await ControlClient(address).post(call, contentType: "text/plain")
            #expect(response.status == 415 && response.body.contains("application/json"))
        }
    }

    @Test(
        arguments: [
            ("bridge.control.v1", nil, 401), ("bridge.control.v1, bridge.token.0", nil, 401),
            ("bridge.page.v1, bridge.token.TOKEN", nil, 400), ("bridge.control.v1, bridge.token.TOKEN", nil, 101),
            ("bridge.control.v1", "Authorization: Bearer TOKEN", 101),
        ] as [(String, String?, Int)])
    func acceptsToolWithToken(_ subprotocols: String, _ header: String?, _ expected: Int) async throws {
        try await withServer { _, address in
            let token = try ControlClient(address).token
            var status = 101
            do {
                _ = try await WebSocketClient.connect(
                    port: address.port, path: "/control",
                    subprotocols: subprotocols.replacing("TOKEN", with: token),
                    headers: [header].compactMap { $0?.replacing("TOKEN", with: token) })
            } catch let refused as WebSocketClient.Refused {
                status = refused.status
            }
            #expect(status == expected)
        }
    }

    // MARK: OpenRPC and metrics

    @Test func openRPCDescribesEveryMethod() async throws {
        try await withServer { _, address in
            let tool = try ControlClient(address)
            let response = try await HTTPClient.request(path: "/openrpc.json", port: address.port)
            let document = try JSON.parse(response.body)
            #expect(document["openrpc"]?.string == "1.3.2")
            #expect(document["servers"]?[0]?["url"]?.string == "\(address.url)rpc")
            let methods = document["methods"] ?? .null
            var names: [String] = []
            methods.forEachElement { names.append($0["name"]?.string ?? "") }
            for name in [
                "daemon.info", "pages.list", "pages.wait", "page.navigate", "script.evaluate", "script.callAsync",
                "handlers.list", "handlers.stub", "handlers.unstub", "faults.add", "faults.remove", "faults.list",
                "message.post", "app.state", "app.perform",
            ] {
                #expect(names.contains(name))
            }
            // Every method in the document is dispatched: none answers "unknown method".
            for name in names { #expect(try await tool.error(name, #"{"timeoutMs":0}"#)["code"]?.number != -32601) }
            #expect(try await tool.call("rpc.discover").description == document.description)
        }
    }

    @Test func metricsCountMessagesAndCalls() async throws {
        try await withServer { server, address in
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let tool = try ControlClient(address)
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("1", seq: 1)
            _ = try await page.next("method", "page.ack")
            _ = try await tool.call("pages.list")
            let text = try await HTTPClient.request(path: "/metrics", port: address.port).body
            #expect(text.contains("bridged_messages_total{outcome=\"handled\"} 1.0\n"))
            #expect(text.contains("bridged_calls_total{method=\"pages.list\",status=\"ok\"} 1.0\n"))
            #expect(text.contains("# TYPE bridged_pages gauge\nbridged_pages 1.0\n"))
        }
    }
}
