import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

private struct ActionButton: ScriptMessage {
    static let name = "ActionButton"
    let path: String
    let icon: String
}

/// Collects the messages of a handler.
@MainActor final class Collector: NSObject, WKScriptMessageHandler {
    private(set) var messages: [WKScriptMessage] = []
    private var waiting: AsyncStream<Void>.Continuation?

    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
    ) {
        messages.append(message)
        waiting?.yield()
    }

    func next() async throws -> WKScriptMessage {
        while messages.isEmpty { try await waitForValue { waiting = $0 } }
        return messages.removeFirst()
    }
}

@MainActor final class AsyncReplier: NSObject, WKScriptMessageHandlerWithReply {
    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
    ) async -> (Any?, String?) {
        message.body is String ? (nil, "no strings") : (message.body, nil)
    }
}

/// Replies by calling a closure.
@MainActor final class Replier: NSObject, WKScriptMessageHandlerWithReply {
    let reply: (@MainActor @Sendable (Any?, String?) -> Void) -> Void

    init(_ reply: @escaping (@MainActor @Sendable (Any?, String?) -> Void) -> Void) { self.reply = reply }

    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
        replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void
    ) {
        reply(replyHandler)
    }
}

/// What tests and apps print.
@MainActor @Suite(.timeLimit(.minutes(4))) struct PrintedValueTests {
    @Test func bodiesAndResultsPrintWithoutOptional() async throws {
        try await withWebView { fixture in
            let collector = Collector()
            fixture.webView.configuration.userContentController.add(collector, name: "h")
            let page = try await fixture.attach()
            await page.post(#""hello""#, seq: 1, to: "h")
            #expect("\(try await collector.next().body)" == "hello")
            await page.post("[3,true]", seq: 2, to: "h")
            #expect(!"\(try await collector.next().body)".contains("Optional"))
            await page.post("null", seq: 3, to: "h", types: #"{"":"undefined"}"#)
            #expect("\(try await collector.next().body)" == "nil")
            Task { try await page.answer(#""result":{"value":"one"}"#) }
            let first = try await fixture.webView.evaluateJavaScript("1")
            #expect("\(first)" == "one")
            let printed: String = try await waitForValue { continuation in
                fixture.webView.evaluateJavaScript("2", in: nil, in: .page) { result in
                    continuation.yield("\((try? result.get()) ?? "nothing")")
                }
                Task { try await page.answer(#""result":{"value":"two"}"#) }
            }
            #expect(printed == "two")
        }
    }
}

/// Two owners of one web view's name.
@MainActor @Suite(.timeLimit(.minutes(4))) struct OwnerTests {
    @Test func reportsAnotherOwnerOfAName() async throws {
        try await withWebView { fixture in
            let recorder = Recorder(fixture.server)
            let configuration = WKWebViewConfiguration()
            configuration.bridgeServer = fixture.server
            configuration.bridgedWebViewName = "main"
            let second = WKWebView(frame: .zero, configuration: configuration)
            let problem = try await recorder.problem("webViewNameTaken")
            #expect(problem.text.contains("'main'"))
            withExtendedLifetime(second) {}
        }
    }
}

/// Messages to `WKScriptMessageHandler`, and replies.
@MainActor @Suite(.timeLimit(.minutes(4))) struct MessageTests {
    /// The response that a page gets for a message to a replying handler.
    private func response(of handler: any WKScriptMessageHandlerWithReply, to body: String = "1") async throws -> JSON {
        try await withWebView { fixture in
            fixture.webView.configuration.userContentController
                .addScriptMessageHandler(handler, contentWorld: .page, name: "reply")
            let page = try await fixture.attach()
            await page.post(body, seq: 1, to: "reply", id: "a")
            return try await page.next("id", "a")
        }
    }

    @Test func deliversMessage_withItsFrame() async throws {
        try await withWebView { fixture in
            let handler = Collector()
            fixture.webView.configuration.userContentController.add(handler, name: "nativeApp")
            let page = try await fixture.attach()
            await page.post(#"{"name":"x","list":[{"n":1}]}"#, seq: 1)
            let message = try await handler.next()
            #expect((message.body as? [String: AnyHashable])?["name"] as? String == "x")
            #expect(message.name == "nativeApp" && message.webView === fixture.webView)
            let frame = message.frameInfo
            #expect(frame.isMainFrame && frame.request.url?.absoluteString == "http://localhost:3000/")
            // The page's handshake has this origin.
            #expect(frame.securityOrigin.protocol == "http" && frame.securityOrigin.host == "localhost")
            #expect(frame.securityOrigin.port == 0)
        }
    }

    @Test func replies_byTheAsyncMethod() async throws {
        #expect(try await response(of: AsyncReplier(), to: "[true]")["result"]?["value"]?.description == "[true]")
        #expect(try await response(of: AsyncReplier(), to: "\"s\"")["error"]?["message"]?.string == "no strings")
    }

    @Test func repliesWithUndefined_forNil() async throws {
        let result = try await response(of: Replier { $0(nil, nil) })["result"]
        #expect(result?["types"]?[""]?.string == "undefined")
    }

    @Test func handsBackTheOriginalBody() async throws {
        try await withWebView { fixture in
            fixture.webView.configuration.userContentController
                .addScriptMessageHandler(AsyncReplier(), contentWorld: .page, name: "reply")
            let page = try await fixture.attach()
            await page.post(
                #"[{}, "/0", [55357]]"#, seq: 1, to: "reply", id: "a", types: #"{"/1": "ref", "/2": "utf16"}"#)
            let result = try await page.next("id", "a")["result"]
            #expect(result?["value"]?.description == #"[{},"/0",[55357]]"#)
            #expect(result?["types"]?.description == #"{"/1":"ref","/2":"utf16"}"#)
        }
    }

    @Test func rejects_whenReplyHandlerIsReleased() async throws {
        let error = try await response(of: Replier { _ in })["error"]
        #expect(error?["message"]?.string == "WKWebView API client did not respond to this postMessage")
    }

    @Test func rejects_whenReplyHasNoJavaScriptForm() async throws {
        let error = try await response(of: Replier { $0([Data()], nil) })["error"]
        #expect(
            error?["message"]?.string
                == "The result value passed back from the WKWebView API client was unable to be serialized")
    }

    @Test func updatesThePage_whenHandlersChange() async throws {
        try await withWebView { fixture in
            let controller = fixture.webView.configuration.userContentController
            let page = try await fixture.attach()
            controller.add(Collector(), name: "late")
            #expect(try await page.next("method", "handlers.changed")["params"]?["handlers"]?.count == 1)
            controller.removeAllScriptMessageHandlers()
            #expect(try await page.next("method", "handlers.changed")["params"]?["handlers"]?.count == 0)
        }
    }

    @Test func keepsFirstHandler_andReports_whenNameIsTaken() async throws {
        try await withWebView { fixture in
            let recorder = Recorder(fixture.server)
            let first = Collector()
            let controller = fixture.webView.configuration.userContentController
            controller.add(first, name: "nativeApp")
            controller.add(Collector(), name: "nativeApp")
            #expect(try await recorder.problem("handlerTaken").text.contains("'nativeApp'"))
            let page = try await fixture.attach()
            await page.post("1", seq: 1)
            #expect(try await first.next().body as? Int == 1)
        }
    }

    @Test func usesDispatcherAsHandler_withItsVerdict() async throws {
        try await withWebView { fixture in
            let recorder = Recorder(fixture.server)
            let dispatcher = ScriptMessageDispatcher()
            var paths: [String] = []
            dispatcher.on(ActionButton.self) { message, _ in paths.append(message.path) }
            fixture.webView.configuration.userContentController.add(dispatcher, name: "nativeApp")
            let page = try await fixture.attach()
            await page.post(#"{"name":"ActionButton","path":"/x","icon":"plus"}"#, seq: 1)
            await page.post(#"{"name":"ActionButton","path":3,"icon":"plus"}"#, seq: 2)
            #expect(try await recorder.problem("undecodable").text.contains("/path"))
            #expect(paths == ["/x"])
        }
    }

    @Test func testsCanMakeMessages() {
        final class FakeMessage: WKScriptMessage {
            override var body: Any { ["name": "x"] }
        }
        #expect((FakeMessage().body as? [String: String])?["name"] == "x")
    }
}
