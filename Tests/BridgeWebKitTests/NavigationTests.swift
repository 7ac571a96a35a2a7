import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

/// Writes down what a navigation delegate hears, and decides as it is told.
@MainActor final class NavigationSpy: NSObject, WKNavigationDelegate {
    private(set) var calls: [String] = []
    private(set) var navigations: Set<WKNavigation> = []
    private(set) var status: Int?
    var actionPolicy = WKNavigationActionPolicy.allow
    var responsePolicy = WKNavigationResponsePolicy.allow
    private var waiting: [(call: String, continuation: AsyncStream<Void>.Continuation)] = []

    /// Waits until a call was made.
    func heard(_ call: String) async throws {
        if !calls.contains(call) { try await waitForValue { waiting.append((call, $0)) } }
    }

    private func note(_ call: String, _ navigation: WKNavigation? = nil) {
        calls.append(call)
        if let navigation { navigations.insert(navigation) }
        for entry in waiting where entry.call == call { entry.continuation.yield() }
        waiting.removeAll { $0.call == call }
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    ) {
        note("action")
        decisionHandler(actionPolicy)
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse
    ) async -> WKNavigationResponsePolicy {
        status = (navigationResponse.response as? HTTPURLResponse)?.statusCode
        note("response")
        return responsePolicy
    }

    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
        note("start", navigation)
    }
    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) { note("commit", navigation) }
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) { note("finish", navigation) }
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        note("failProvisional \((error as NSError).code)", navigation)
    }
    func webViewWebContentProcessDidTerminate(_ webView: WKWebView) { note("terminate") }
}

/// Loads, as far as pages can tell.
@MainActor @Suite(.timeLimit(.minutes(1))) struct NavigationTests {
    private let spy = NavigationSpy()
    private let elsewhere: URLRequest

    init() throws {
        elsewhere = URLRequest(url: try #require(URL(string: "http://localhost:3000/customers")))
    }

    /// The URL that a page is sent to next.
    private func destination(_ page: PageClient) async throws -> String? {
        try await page.next("method", "page.navigate")["params"]?["url"]?.string
    }

    private func withSpiedWebView(_ body: @MainActor (Stage) async throws -> Void) async throws {
        try await withWebView {
            $0.limits.awayTimeout = .milliseconds(20)
        } _: { stage in
            stage.webView.navigationDelegate = spy
            try await body(stage)
        }
    }

    @Test func sendsThePage_andFollowsTheNextDocument() async throws {
        try await withSpiedWebView { stage in
            let page = try await stage.attach()
            try await spy.heard("finish")
            let navigation = try #require(stage.webView.load(elsewhere))
            #expect(stage.webView.isLoading && stage.webView.url == elsewhere.url)
            #expect(try await destination(page) == "http://localhost:3000/customers")
            _ = try await stage.attach(document: "d-2")
            while stage.webView.isLoading { await Task.yield() }
            #expect(spy.calls.suffix(5) == ["action", "start", "response", "commit", "finish"])
            #expect(spy.navigations.contains(navigation) && stage.webView.canGoBack == false)
        }
    }

    @Test func queuesLoad_untilAPageAttaches() async throws {
        try await withSpiedWebView { stage in
            stage.webView.load(elsewhere)
            try await spy.heard("start")
            let page = try await stage.attach()
            #expect(try await destination(page) == "http://localhost:3000/customers")
        }
    }

    @Test func takesThePage_whenItShowsTheURLAlready() async throws {
        try await withSpiedWebView { stage in
            stage.webView.load(URLRequest(url: try #require(URL(string: "http://localhost:3000"))))
            try await spy.heard("start")
            let page = try await stage.attach()
            try await spy.heard("finish")
            #expect(spy.calls == ["action", "start", "response", "commit", "finish"])
            #expect(stage.webView.title == "Test" && stage.webView.estimatedProgress == 1)
            _ = page
        }
    }

    @Test func tellsTheStatus_beforeTheCommit() async throws {
        try await withSpiedWebView { stage in
            spy.responsePolicy = .cancel
            let page = try await PageClient(port: stage.port)
            await page.sendAttach(document: "d-1", readyState: "loading")
            page.send(#"{"jsonrpc":"2.0","method":"page.update","params":{"status":404,"readyState":"complete"}}"#)
            try await spy.heard("failProvisional 102")
            #expect(spy.status == 404)
            #expect(!spy.calls.contains("commit") && !spy.calls.contains("finish"))
        }
    }

    @Test func commitsBeforeMessages_andFinishesAfterThem() async throws {
        final class Order: NSObject, WKNavigationDelegate, WKScriptMessageHandler {
            private(set) var calls: [String] = []
            private let finished = AsyncStream.makeStream(of: Void.self)

            func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) { calls.append("commit") }
            func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
                calls.append("finish")
                finished.continuation.yield()
            }
            func userContentController(
                _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
            ) {
                calls.append("message")
            }
            func finish() async { for await _ in finished.stream { return } }
        }
        try await withWebView { stage in
            let order = Order()
            stage.webView.navigationDelegate = order
            stage.webView.configuration.userContentController.add(order, name: "nativeApp")
            let (page, _) = try await PageClient.attach(port: stage.port)
            let update = #"{"jsonrpc":"2.0","method":"page.update","params":{"visibility":"visible"}}"#
            page.send("[\(update),\(PageClient.post("1", seq: 1))]")
            await order.finish()
            #expect(order.calls == ["commit", "message", "finish"])
        }
    }

    @Test func sendsNothing_whenTheDelegateCancels() async throws {
        try await withSpiedWebView { stage in
            let page = try await stage.attach()
            spy.actionPolicy = .cancel
            stage.webView.load(elsewhere)
            try await spy.heard("action")
            #expect(!stage.webView.isLoading)
            async let answered = page.answer("\"result\":{\"value\":1}")
            try await stage.webView.evaluateJavaScript("1")
            _ = try await answered
            #expect(await page.frames == 2, "the answer to page.attach, and the evaluation")
        }
    }

    @Test func tellsTermination_whenThePageIsGone() async throws {
        try await withSpiedWebView { stage in
            let page = try await stage.attach()
            page.drop()
            try await spy.heard("terminate")
            #expect(spy.calls.last == "terminate")
        }
    }

    @Test func endsThePage_asIfItsProcessHadCrashed() async throws {
        try await withWebView { stage in
            stage.webView.navigationDelegate = spy
            let page = try await stage.attach()
            try await spy.heard("finish")
            let failure = Task { () -> WKError.Code? in
                do {
                    try await stage.webView.evaluateJavaScript("1")
                    return nil
                } catch {
                    return (error as? WKError)?.code
                }
            }
            _ = try await page.next("method", "script.evaluate")
            stage.webView._killWebContentProcessAndResetState()
            #expect(await failure.value == .webContentProcessTerminated)
            try await spy.heard("terminate")
            let blank = try await destination(page)
            #expect(blank?.contains("/document?web-view=main") == true)
            stage.webView.load(URLRequest(url: try #require(URL(string: "http://localhost:3000/again"))))
            // The page that was ended can't be sent on; the document that takes its place can.
            let empty = try await stage.attach(document: "empty")
            let again = try await destination(empty)
            #expect(again == "http://localhost:3000/again")
        }
    }

    @Test func servesHTMLString_underItsBaseURL() async throws {
        try await withSpiedWebView { stage in
            let page = try await stage.attach()
            stage.webView.loadHTMLString("<!doctype html><p>hi", baseURL: URL(string: "http://app.test/a?b"))
            #expect(stage.webView.url?.absoluteString == "http://app.test/a?b")
            #expect(try await destination(page)?.hasSuffix("/document?web-view=main&document=1") == true)
            let response = try await HTTPClient.request(path: "/document?web-view=main&document=1", port: stage.port)
            #expect(
                response.body.hasPrefix(
                    #"<!doctype html><script src="/bridge.js?web-view=main"></script><base href="http://app.test/a?b"><p>hi"#
                ))
        }
    }

    @Test func namesWebViewsInTurn_andFreesTheirNames() async throws {
        try await withWebView { stage in
            let configuration = stage.webView.configuration
            var second: WKWebView? = WKWebView(frame: .zero, configuration: configuration)
            #expect(stage.webView.bridgedName == "main" && second?.bridgedName == "webview-2")
            second = nil
            #expect(WKWebView(frame: .zero, configuration: configuration).bridgedName == "webview-2")
        }
    }
}
