import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

/// Content worlds, which driven pages have.
@MainActor @Suite(.timeLimit(.minutes(4))) struct ContentWorldTests {
    private let mine = WKContentWorld.world(name: "mine")

    @Test func handlersReceiveTheMessagesOfTheirWorld() async throws {
        try await withWebView { fixture in
            let controller = fixture.webView.configuration.userContentController
            let (own, other, client) = (Collector(), Collector(), Collector())
            controller.add(own, name: "h")
            controller.add(other, contentWorld: mine, name: "h")
            controller.add(client, contentWorld: .defaultClient, name: "h")
            controller.addScriptMessageHandler(AsyncReplier(), contentWorld: mine, name: "r")
            let (page, response) = try await fixture.attachDriven()
            #expect(response["handlers"]?.count == 4)
            await page.post("1", seq: 1, to: "h", world: "mine")
            await page.post("2", seq: 2, to: "h")
            await page.post("3", seq: 3, to: "h", world: "defaultClient")
            await page.post("4", seq: 4, to: "r", id: "r", world: "mine")
            let message = try await other.next()
            #expect(message.body as? Int == 1 && message.world === mine && message.world.name == "mine")
            #expect(try await own.next().world === WKContentWorld.page)
            #expect(try await client.next().world === WKContentWorld.defaultClient)
            #expect(try await page.next("id", "r")["result"]?["value"]?.number == 4)
        }
    }

    @Test func handlersAreRemovedFromTheirWorld() async throws {
        try await withWebView { fixture in
            let controller = fixture.webView.configuration.userContentController
            for world in [.page, mine, .defaultClient] { controller.add(Collector(), contentWorld: world, name: "h") }
            let (page, response) = try await fixture.attachDriven()
            #expect(response["handlers"]?.count == 3)
            controller.removeScriptMessageHandler(forName: "h", contentWorld: mine)
            #expect(try await page.handlersChanged() == 2)
            controller.removeAllScriptMessageHandlers(from: .page)
            #expect(try await page.handlersChanged() == 1)
            controller.add(Collector(), contentWorld: mine, name: "h")
            #expect(try await page.handlersChanged() == 2)
            controller.removeAllScriptMessageHandlers()
            #expect(try await page.handlersChanged() == 0)
        }
    }

    @Test func scriptsRunInTheirWorld() async throws {
        try await withWebView { fixture in
            fixture.webView.configuration.userContentController.addUserScript(
                WKUserScript(source: "1", injectionTime: .atDocumentStart, forMainFrameOnly: true, in: mine))
            let (page, response) = try await fixture.attachDriven()
            #expect(response["userScripts"]?.elements.first?["world"]?.string == "mine")
            let webView = fixture.webView
            let value = Task { try await webView.evaluateJavaScript("1", contentWorld: mine) as? Int }
            #expect(try await page.answer(#""result":{"value":2}"#)["world"]?.string == "mine")
            #expect(try await value.value == 2)
            let called = Task {
                try await webView.callAsyncJavaScript("return 1", contentWorld: .defaultClient) as? Int
            }
            let params = try await page.answer(#""result":{"value":3}"#, to: "script.callAsync")
            #expect(try await called.value == 3 && params["world"]?.string == "defaultClient")
        }
    }

    @Test func reportsWorlds_ifAPageHasNone() async throws {
        try await withWebView { fixture in
            let recorder = Recorder(fixture.server)
            let controller = fixture.webView.configuration.userContentController
            controller.add(Collector(), contentWorld: mine, name: "h")
            _ = try await fixture.attachDriven(document: "d-0")
            #expect(!recorder.records.contains { $0.event.kind == .problem })
            let (page, _) = try await PageClient.attach(
                port: fixture.port, origin: "http://localhost:3000", document: "d-2")
            _ = try await recorder.problem("contentWorldUnsupported")
            _ = page
        }
    }
}

extension PageClient {
    /// Waits for the next list of handlers that differs from the one before, and counts it.
    fileprivate func handlersChanged() async throws -> Int? {
        // Changes of the two kinds of handlers are sent one after the other.
        _ = try await next("method", "handlers.changed")
        return try await next("method", "handlers.changed")["params"]?["handlers"]?.count
    }
}
