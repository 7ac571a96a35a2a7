import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// Scripts that native code runs in pages.
@MainActor @Suite(.timeLimit(.minutes(4))) struct EvaluationTests {
    /// Attaches a client to the server, and returns the page and the client.
    private func attach(_ server: BridgeServer, _ address: BridgeServer.Address) async throws -> (Page, PageClient) {
        let (client, _) = try await PageClient.attach(port: address.port)
        return (try #require(server.pages.first), client)
    }

    private func answer(_ client: PageClient, _ members: String) async throws {
        let request = try await client.next("method", "script.evaluate")
        client.send("{\"jsonrpc\":\"2.0\",\"id\":\(request["id"]?.number ?? 0),\(members)}")
    }

    @Test func returnsValue() async throws {
        try await withServer { server, address in
            let (page, client) = try await attach(server, address)
            async let value = page.evaluate("1 + 1").decode(Int.self)
            try await answer(client, "\"result\":{\"value\":2}")
            #expect(try await value == 2)
        }
    }

    @Test func throwsException_withLineAndColumn() async throws {
        try await withServer { server, address in
            let (page, client) = try await attach(server, address)
            let value = Task { try await page.evaluate("boom()") }
            try await answer(
                client,
                "\"error\":{\"code\":4,\"message\":\"ReferenceError: boom\",\"data\":{\"name\":\"ReferenceError\",\"message\":\"boom\",\"line\":1,\"column\":5}}"
            )
            let error = await #expect(throws: ScriptError.self) { try await value.value }
            guard case .exception(let exception) = error else { return }
            #expect(exception.name == "ReferenceError" && exception.line == 1 && exception.column == 5)
        }
    }

    /// The exit codes of commands depend on error codes, and a page must not choose these.
    @Test(arguments: [-32602, -32004, -32002, -32005, 1, 2, 77])
    func pageDoesNotChooseTheCode(code: Int) async throws {
        try await withServer { server, address in
            let (page, client) = try await attach(server, address)
            let value = Task { try await page.evaluate("boom()") }
            try await answer(client, "\"error\":{\"code\":\(code),\"message\":\"no\"}")
            let error = await #expect(throws: ScriptError.self) { try await value.value }
            #expect(error?.rpcError.code == .handlerRejected)
        }
    }

    @Test func timesOut_andReportsLateResult() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, client) = try await attach(server, address)
            let error = await #expect(throws: ScriptError.self) {
                try await page.evaluate("for (;;) {}", timeout: .milliseconds(20))
            }
            #expect(error == .timedOut(.milliseconds(20)))
            try await answer(client, "\"result\":{\"value\":2}")
            _ = try await recorder.problem("lateResult")
        }
    }

    @Test func fails_whenPageLeaves() async throws {
        try await withServer { server, address in
            let (page, client) = try await attach(server, address)
            let value = Task { try await page.evaluate("1") }
            _ = try await client.next("method", "script.evaluate")
            client.close(1001)
            let error = await #expect(throws: ScriptError.self) { try await value.value }
            #expect(error == .pageGone("p1"))
        }
    }

    @Test func fails_whenPageStaysAwayTooLong() async throws {
        try await withServer {
            $0.limits.awayTimeout = .milliseconds(50)
        } _: { server, address in
            let (page, client) = try await attach(server, address)
            let value = Task { try await page.evaluate("1") }
            _ = try await client.next("method", "script.evaluate")
            client.drop()
            let error = await #expect(throws: ScriptError.self) { try await value.value }
            #expect(error == .pageGone("p1"))
            #expect(server.pages.isEmpty)
            await #expect(throws: ScriptError.pageGone("p1")) { try await page.evaluate("2") }
        }
    }

    @Test func sendsEvaluationAgainWithSameID_whenPageComesBack() async throws {
        try await withServer { server, address in
            let (page, client) = try await attach(server, address)
            async let value = page.evaluate("1").decode(Int.self)
            let first = try await client.next("method", "script.evaluate")
            client.drop()
            let (again, _) = try await PageClient.attach(port: address.port, resume: true)
            let second = try await again.next("method", "script.evaluate")
            #expect(first["id"]?.number == second["id"]?.number)
            again.send("{\"jsonrpc\":\"2.0\",\"id\":\(second["id"]?.number ?? 0),\"result\":{\"value\":1}}")
            #expect(try await value == 1)
        }
    }

    @Test func sendsOnce_whatAnObserverEvaluatesAsThePageAttaches() async throws {
        try await withServer { server, address in
            server.observePages { event, page in
                if event == .attached { page.evaluate("first", completion: nil) }
            }
            let (page, client) = try await attach(server, address)
            page.evaluate("second", completion: nil)
            #expect(try await client.next("method", "script.evaluate")["params"]?["source"]?.string == "first")
            #expect(try await client.next("method", "script.evaluate")["params"]?["source"]?.string == "second")
        }
    }

    @Test func sendsEvaluationsInOrder() async throws {
        try await withServer { server, address in
            let (page, client) = try await attach(server, address)
            for number in 1...100 { page.evaluate("\(number)", completion: nil) }
            for number in 1...100 {
                #expect(try await client.next("method", "script.evaluate")["params"]?["source"]?.string == "\(number)")
            }
        }
    }

    @Test(
        arguments: [
            (#"{"value":null,"types":{"":"undefined"}}"#, "null"), (#"{"value":"Zoë"}"#, "\"Zoë\""),
            (
                #"{"value":{"a":[1,null],"u":null,"n":"NaN"},"types":{"/a/1":"undefined","/u":"undefined","/n":"number"}}"#,
                "{\"a\":[1,null]}"
            ),
            (#"{"value":"1970-01-01T00:00:01.500Z","types":{"":"date"}}"#, "1.5"),
        ])
    func evaluateJavascript_returnsJSONText(result: String, expected: String) async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (client, _) = try await PageClient.attach(port: address.port)
            var text = ""
            try #require(server.pages.first).evaluateJavascript("x") { text = $0 }
            let id = try #require(try await client.next("method", "script.evaluate")["id"])
            client.send("{\"jsonrpc\":\"2.0\",\"id\":\(id.text),\"result\":\(result)}")
            _ = try await recorder.first { $0.event.kind == .result }
            #expect(text == expected)
        }
    }
}
