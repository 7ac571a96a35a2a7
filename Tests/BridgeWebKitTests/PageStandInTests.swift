import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeWebKit
import EmulatedApp
import Foundation
import TestSupport
import Testing

/// Handlers tested without a browser and without a port, as docs/test.md shows.
@MainActor @Suite(.timeLimit(.minutes(4))) struct PageStandInTests {
    private struct PriceQuery: ScriptMessage {
        static let name = "PriceQuery"
        let item: String
    }

    private struct Price: Codable, Equatable { let amount: Int }

    private struct SoldOut: LocalizedError { let errorDescription: String? = "there is no more tea" }

    private func shop(_ configure: (inout BridgeServer.Configuration) -> Void = { _ in }) throws -> (
        BridgeServer, ScriptMessageDispatcher, PageStandIn
    ) {
        captureWarnings()
        var configuration = BridgeServer.Configuration()
        configure(&configuration)
        let server = try BridgeServer(configuration)
        let dispatcher = ScriptMessageDispatcher()
        server.addHandler("shop", .dispatcher(dispatcher))
        return (server, dispatcher, PageStandIn(server))
    }

    @Test func getsTypedReplies() async throws {
        let (server, dispatcher, page) = try shop()
        let recorder = Recorder(server)
        dispatcher.reply(to: PriceQuery.self) { query, context async throws -> Price in
            try await context.evaluate(JavaScriptCall("window.asked", query.item))
            guard query.item == "tea" else { throw SoldOut() }
            return Price(amount: 3)
        }
        let reply = try await page.post(["name": "PriceQuery", "item": "tea"], to: "shop")
        #expect(try reply.decode(Price.self) == Price(amount: 3))
        #expect(page.scripts == [#"window.asked("tea")"#])
        let error = await #expect(throws: RPCError.self) {
            try await page.post(["name": "PriceQuery", "item": "coffee"], to: "shop")
        }
        #expect(error?.message == "there is no more tea")
        let wrong = await #expect(throws: RPCError.self) { try await page.post(["name": "PriceQuery"], to: "shop") }
        #expect(wrong?.code == .handlerRejected)
        let verdicts = recorder.records.compactMap { record in
            if case .reply(_, _, _, _, let verdict) = record.event { verdict } else { nil }
        }
        #expect(verdicts.map(\.outcome) == [.replied, .rejected, .dropped])
        #expect(verdicts.last?.reason == .undecodable && verdicts.last?.at == "/item")
    }

    @Test func givesAVerdict_ifAHandlerTakesTooLong() async throws {
        let (server, dispatcher, page) = try shop { $0.limits.replyTimeout = .milliseconds(20) }
        let recorder = Recorder(server)
        dispatcher.on(PriceQuery.self) { _, _ in try await Task.sleep(for: .seconds(600)) }
        await #expect(throws: RPCError.self) { try await page.post(["name": "PriceQuery", "item": "x"], to: "shop") }
        #expect(try await recorder.problem("replyTimedOut").hint != nil)
    }

    @Test func plainHandlersHandleTheirMessages_besideReplyingOnes() async throws {
        struct Note: ScriptMessage {
            static let name = "Note"
            let text: String
        }
        let (server, dispatcher, page) = try shop()
        let recorder = Recorder(server)
        var notes: [String] = []
        dispatcher.on(Note.self) { note, _ in notes.append(note.text) }
        dispatcher.reply(to: PriceQuery.self) { _, _ in 1 }
        #expect(try await page.post(["name": "Note", "text": "hi"], to: "shop").kind == .undefined)
        #expect(notes == ["hi"])
        let record = try await recorder.first { $0.event.kind == .message }
        guard case .message(_, _, _, _, let verdict) = record.event else { return }
        #expect(verdict == .handled)
        #expect("\(record)".hasSuffix(#"p1 → shop  Note {"text":"hi"}   handled"#))
    }

    @Test func tellsPagesThatAHandlerRepliesNow() async throws {
        try await withServer { server, address in
            let dispatcher = ScriptMessageDispatcher()
            server.addHandler("shop", .dispatcher(dispatcher))
            let (client, _) = try await PageClient.attach(port: address.port)
            dispatcher.reply(to: PriceQuery.self) { _, _ in 1 }
            let change = try await client.next("method", "handlers.changed")
            #expect(change["params"]?["handlers"]?[0]?["replies"]?.bool == true)
        }
    }

    @Test func closuresTakeMessages() async throws {
        let (server, _, page) = try shop()
        var bodies: [ScriptValue] = []
        server.addHandler("log") { message in bodies.append(message.body) }
        server.addHandler("fail") { _ in throw SoldOut() }
        server.addHandlerWithReply("contacts") { message in [message.body["prefix"]?.string, message.url] }
        #expect(try await page.post(["level": 1], to: "log").kind == .undefined)
        #expect(bodies == [["level": 1]])
        #expect(try await page.post(["prefix": "Z"], to: "contacts") == ["Z", "http://localhost/"])
        let failed = await #expect(throws: RPCError.self) { try await page.post(1, to: "fail") }
        #expect(failed?.code == .handlerRejected && failed?.data?["reason"]?.string == "handlerFailed")
        await #expect(throws: RPCError.self) { try await page.post(1, to: "nobody") }
    }

    @Test func dispatchesWithItsContext() throws {
        let (_, dispatcher, page) = try shop()
        dispatcher.on(PriceQuery.self) { _, _ in }
        let context = try #require(page.context)
        #expect(dispatcher.dispatch(["name": "PriceQuery", "item": "tea"], context: context) == .handled)
    }

    @Test func answersScripts() async throws {
        struct Broken: Error {}
        let (_, _, page) = try shop()
        page.answer = { script in
            guard script != "broken()" else { throw Broken() }
            return ["script": .string(script)]
        }
        let onServer = try #require(page.page)
        #expect(try await onServer.evaluate("1 + 1", as: [String: String].self) == ["script": "1 + 1"])
        #expect(try await onServer.callAsync("return 2") as [String: String] == ["script": "return 2"])
        await #expect(throws: ScriptError.self) { try await onServer.evaluate("broken()") as Int }
        await #expect(throws: DecodingError.self) { try await onServer.evaluate("1") as Int }
        page.leave()
        #expect(page.page?.isAttached != true)
    }

    @Test func standsInForThePagesOfAWebView() async throws {
        let (server, _, _) = try shop()
        let configuration = WKWebViewConfiguration()
        configuration.bridgeServer = server
        let webView = WKWebView(frame: .zero, configuration: configuration)
        let collector = Collector()
        webView.configuration.userContentController.add(collector, name: "nativeApp")
        let page = PageStandIn(server)
        page.answer = { _ in "a title" }
        try await page.post(["name": "Hello"])
        #expect(try await collector.next().body as? [String: String] == ["name": "Hello"])
        #expect(try await webView.evaluateJavaScript("document.title") as? String == "a title")
    }

    @Test func emulatedAppRefusesANameThatIsTaken() async throws {
        let (server, _, _) = try shop()
        let configuration = WKWebViewConfiguration()
        configuration.bridgeServer = server
        let webView = WKWebView(frame: .zero, configuration: configuration)
        let error = #expect(throws: ConfigurationError.self) { try EmulatedApp(server: server) }
        #expect(error?.description.contains("'main'") == true)
        withExtendedLifetime(webView) {}
    }

    @Test func reportsAWebViewBesideAnEmulatedApp() async throws {
        let (server, _, _) = try shop()
        let recorder = Recorder(server)
        let app = try EmulatedApp(server: server)
        let configuration = WKWebViewConfiguration()
        configuration.bridgeServer = server
        let webView = WKWebView(frame: .zero, configuration: configuration)
        _ = try await recorder.problem("webViewNotMain")
        withExtendedLifetime((app, webView)) {}
    }
}
