import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// Pages of a browser that is driven from outside.
@MainActor @Suite(.timeLimit(.minutes(4))) struct DrivenPageTests {
    private func token(_ address: BridgeServer.Address) throws -> String {
        try DiscoveryFileContents(path: address.discoveryFile).token
    }

    private func attach(
        _ address: BridgeServer.Address, document: String = "d-1"
    ) async throws -> (PageClient, JSON) {
        try await PageClient.attachDriven(
            port: address.port, token: token(address), document: document)
    }

    private func addWorld(_ server: BridgeServer) {
        server.addHandler("app", .plain { _, _ in .handled })
        server.defaultScope.handlersInWorlds = [
            "mine": ["app": .replying { _, context, reply in reply.resolve(.string(context.world ?? "")) }]
        ]
        server.defaultScope.userScripts = [
            UserScript(source: "1", injectionTime: .atDocumentStart, forMainFrameOnly: true),
            UserScript(source: "2", injectionTime: .atDocumentEnd, forMainFrameOnly: false, world: "mine"),
        ]
    }

    private static let handlers =
        #"[{"name":"app","replies":false},{"name":"app","replies":true,"world":"mine"}]"#
    private static let userScripts =
        #"[{"source":"1","at":"start","mainFrameOnly":true},"#
        + #"{"source":"2","at":"end","mainFrameOnly":false,"world":"mine"}]"#

    @Test func getsHandlersAndScriptsOfAllWorlds() async throws {
        try await withServer { server, address in
            addWorld(server)
            server.defaultScope.userAgent = "Phone"
            let (page, response) = try await attach(address)
            let result = try #require(response["result"])
            #expect(result["handlers"]?.description == Self.handlers)
            #expect(result["userScripts"]?.description == Self.userScripts)
            #expect(result["userAgent"]?.string == "Phone" && result["dialogs"] == nil)
            server.defaultScope.userScripts = []
            server.defaultScope.dialogHandler = { _ in }
            let fewer = try await page.next("method", "handlers.changed")["params"]
            #expect(fewer?["userScripts"]?.count == 0 && fewer?["handlers"]?.count == 2)
            #expect(try await page.next("method", "handlers.changed")["params"]?["dialogs"]?.bool == true)
        }
    }

    @Test func otherPagesGetOnlyTheirOwnWorld() async throws {
        try await withServer { server, address in
            addWorld(server)
            let (page, result) = try await PageClient.attach(port: address.port)
            #expect(result["handlers"]?.description == #"[{"name":"app","replies":false}]"#)
            #expect(result["userScripts"] == nil)
            let script = try await HTTPClient.request(path: "/bridge.js", port: address.port).body
            #expect(script.contains(#""source":"1""#) && !script.contains(#""source":"2""#))
            await page.post("1", seq: 1, world: "mine")
            #expect(try await page.nextError()["code"]?.number == -32001)
        }
    }

    @Test func messageReachesTheHandlerOfItsWorld() async throws {
        try await withServer { server, address in
            addWorld(server)
            let recorder = Recorder(server)
            let (page, _) = try await attach(address)
            await page.post("1", seq: 1, to: "app", id: "a", world: "mine")
            #expect(try await page.next("id", "a")["result"]?["value"]?.string == "mine")
            let record = try await recorder.first { $0.event.kind == .message }
            #expect(record.world == "mine" && "\(written(record))".contains(#""world":"mine""#))
            await page.post("1", seq: 2, to: "app", world: "other")
            #expect(try await page.nextError()["data"]?["handlers"]?.count == 0)
            #expect(server.parts.webViews.messageCounts["app"] == 1)
            page.send(PageClient.post("1", seq: 3, world: ""))
            let error = try await page.nextError()
            #expect(error["code"]?.number == -32602 && error["message"]?.string?.contains("/world") == true)
        }
    }

    private func written(_ record: some JSONWritable) -> String {
        var writer = JSONWriter()
        record.write(to: &writer)
        return writer.text
    }

    @Test func evaluatesInWorlds() async throws {
        try await withServer { server, address in
            let (driven, _) = try await attach(address)
            let control = try ControlClient(address)
            async let value = control.call("script.evaluate", #"{"source":"1","world":"mine"}"#)
            let request = try await driven.next("method", "script.evaluate")
            #expect(request["params"]?.description == #"{"source":"1","world":"mine"}"#)
            driven.send(#"{"jsonrpc":"2.0","id":\#(request["id"]?.number ?? 0),"result":{"value":2}}"#)
            #expect(try await value["value"]?.number == 2)
            #expect(try await control.call("pages.list")["pages"]?.elements.first?["engine"]?.string == "webkit")
        }
    }

    @Test func driverReportsThatTheDocumentIsGone() async throws {
        try await withServer { server, address in
            let (client, _) = try await attach(address)
            let page = try #require(server.pages.first)
            let result = Task { try await page.evaluate("1") }
            let id = try #require(try await client.next("method", "script.evaluate")["id"]?.wholeNumber)
            client.send(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":2,"message":"gone"}}"#)
            await #expect(throws: ScriptError.pageGone("")) { try await result.value }
        }
    }

    /// A driver has sent all results before it says that the document has left: there is no beacon to wait for.
    @Test func evaluationFailsAtOnce_whenTheDocumentLeaves() async throws {
        try await withServer {
            $0.limits.beaconTimeout = .seconds(600)
        } _: { server, address in
            let (client, _) = try await attach(address)
            let page = try #require(server.pages.first)
            let result = Task { try await page.evaluate("1", timeout: .seconds(10)) }
            _ = try await client.next("method", "script.evaluate")
            client.close(1001)
            await #expect(throws: ScriptError.pageGone("p1")) { try await result.value }
        }
    }

    @Test func refusesWorld_withoutADriver() async throws {
        try await withServer { server, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            let error = await #expect(throws: ScriptError.self) {
                let result = await withCheckedContinuation { continuation in
                    server.pages.first?.callAsync("", world: "mine") { continuation.resume(returning: $0) }
                }
                _ = try result.get()
            }
            #expect(error?.description.contains("bridged open") == true)
            _ = page
        }
    }

    @Test func onlyAToolMayDrive() async throws {
        try await withServer { server, address in
            let (_, asPage) = try await PageClient.attachDriven(
                port: address.port, token: token(address), origin: "http://localhost:3000")
            #expect(asPage["error"]?["code"]?.number == -32602)
            let opera = try await PageClient(port: address.port)
            opera.send(
                PageClient.attach(document: "d-1", webView: "main", engine: .webkit).replacing("webkit", with: "opera"))
            let unknown = try await opera.next("id", "attach")
            #expect(unknown["error"]?["message"]?.string?.contains("/engine") == true)
            await #expect(throws: WebSocketClient.Refused.self) {
                try await PageClient.attachDriven(port: address.port, token: "wrong")
            }
            #expect(server.pages.isEmpty)
        }
    }

    @Test func pageTokenIsNotEnoughToDrive() async throws {
        try await withServer {
            $0.addresses = ["0.0.0.0"]
        } _: { server, address in
            let pageToken = try #require(address.pageToken)
            let (_, response) = try await PageClient.attachDriven(port: address.port, token: pageToken)
            #expect(response["error"]?["code"]?.number == -32602 && server.pages.isEmpty)
        }
    }

    @Test func beaconsAndCallsCannotClaimAnEngine() async throws {
        try await withServer { server, address in
            let attach = try JSON.parse(PageClient.attach(document: "d-9", webView: "main", engine: .webkit))["params"]
            let body = #"{"document":"d-9","attach":\#(attach?.description ?? ""),"messages":[]}"#
            for path in ["/beacon", "/call"] {
                let response = try await HTTPClient.request(
                    "POST", path: path, port: address.port,
                    headers: ["Origin: http://localhost:3000", "Content-Type: application/json"], body: body)
                #expect(response.status == 400 && response.body.contains("/engine"))
            }
            #expect(server.pages.isEmpty)
        }
    }

    @Test func keepsItsWebView_whateverItsOrigin() async throws {
        try await withServer { server, address in
            let (_, first) = try await attach(address)
            #expect(server.addedAppOrigins == ["http://localhost:3000"])
            let (_, second) = try await PageClient.attachDriven(
                port: address.port, token: token(address), document: "d-2", url: "https://example.com/")
            #expect(first["result"]?["webView"] == nil && second["result"]?["webView"] == nil)
        }
    }

    @Test func toolsReadAWebView() async throws {
        try await withServer { server, address in
            addWorld(server)
            server.defaultScope.applicationNameForUserAgent = "App"
            let control = try ControlClient(address)
            let response = try await control.get("/web-view?name=main")
            let settings = try JSON.parse(response.body)
            #expect(settings["handlers"]?.description == Self.handlers)
            #expect(settings["userScripts"]?.description == Self.userScripts)
            #expect(settings["applicationName"]?.string == "App" && settings["contentScripts"] == nil)
            let long = String(repeating: "x", count: 201)
            #expect(try await control.get("/web-view?name=\(long)").status == 400)
            #expect(try await HTTPClient.request(path: "/web-view", port: address.port).status == 401)
        }
    }
}
