import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

/// A navigation delegate that records its calls and makes set decisions.
@MainActor final class NavigationSpy: NSObject, WKNavigationDelegate {
    private(set) var calls: [String] = []
    private(set) var navigations: Set<WKNavigation> = []
    private(set) var status: Int?
    var actionPolicy = WKNavigationActionPolicy.allow
    var responsePolicy = WKNavigationResponsePolicy.allow
    private var waiting: [(call: String, times: Int, continuation: AsyncStream<Void>.Continuation)] = []

    /// Waits until a call has come so many times.
    func received(_ call: String, times: Int = 1) async throws {
        if count(of: call) < times { try await waitForValue { waiting.append((call, times, $0)) } }
    }

    private func count(of call: String) -> Int { calls.count { $0 == call } }

    private func note(_ call: String, _ navigation: WKNavigation? = nil) {
        calls.append(call)
        if let navigation { navigations.insert(navigation) }
        let count = count(of: call)
        for entry in waiting where entry.call == call && entry.times <= count { entry.continuation.yield() }
        waiting.removeAll { $0.call == call && $0.times <= count }
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

/// Loads and the calls of the navigation delegate.
@MainActor @Suite(.timeLimit(.minutes(4))) struct NavigationTests {
    private let spy = NavigationSpy()
    private let elsewhere: URLRequest

    init() throws {
        elsewhere = URLRequest(url: try #require(URL(string: "http://localhost:3000/customers")))
    }

    /// Waits for the next URL that a page is navigated to.
    private func destination(_ page: PageClient) async throws -> String? {
        try await page.next("method", "page.navigate")["params"]?["url"]?.string
    }

    private func withSpiedWebView(_ body: @MainActor (WebViewFixture) async throws -> Void) async throws {
        try await withWebView {
            $0.limits.awayTimeout = .milliseconds(20)
        } _: { fixture in
            fixture.webView.navigationDelegate = spy
            try await body(fixture)
        }
    }

    @Test func navigatesThePage_andFollowsTheNextDocument() async throws {
        try await withSpiedWebView { fixture in
            let page = try await fixture.attach()
            try await spy.received("finish")
            let navigation = try #require(fixture.webView.load(elsewhere))
            #expect(fixture.webView.isLoading && fixture.webView.url == elsewhere.url)
            #expect(try await destination(page) == "http://localhost:3000/customers")
            _ = try await fixture.attach(document: "d-2")
            try await spy.received("finish", times: 2)
            #expect(spy.calls.suffix(5) == ["action", "start", "response", "commit", "finish"])
            #expect(spy.navigations.contains(navigation) && fixture.webView.canGoBack == false)
        }
    }

    @Test func queuesLoad_untilAPageAttaches() async throws {
        try await withSpiedWebView { fixture in
            fixture.webView.load(elsewhere)
            try await spy.received("start")
            let page = try await fixture.attach()
            #expect(try await destination(page) == "http://localhost:3000/customers")
        }
    }

    @Test func usesThePage_ifItShowsTheURLAlready() async throws {
        try await withSpiedWebView { fixture in
            fixture.webView.load(URLRequest(url: try #require(URL(string: "http://localhost:3000"))))
            try await spy.received("start")
            let page = try await fixture.attach()
            try await spy.received("finish")
            #expect(spy.calls == ["action", "start", "response", "commit", "finish"])
            #expect(fixture.webView.title == "Test" && fixture.webView.estimatedProgress == 1)
            _ = page
        }
    }

    @Test func reportsTheStatus_beforeTheCommit() async throws {
        try await withSpiedWebView { fixture in
            spy.responsePolicy = .cancel
            let page = try await PageClient(port: fixture.port)
            await page.sendAttach(document: "d-1", readyState: "loading")
            page.send(#"{"jsonrpc":"2.0","method":"page.update","params":{"status":404,"readyState":"complete"}}"#)
            try await spy.received("failProvisional 102")
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
        try await withWebView { fixture in
            let order = Order()
            fixture.webView.navigationDelegate = order
            fixture.webView.configuration.userContentController.add(order, name: "nativeApp")
            let (page, _) = try await PageClient.attach(port: fixture.port)
            let update = #"{"jsonrpc":"2.0","method":"page.update","params":{"visibility":"visible"}}"#
            page.send("[\(update),\(PageClient.post("1", seq: 1))]")
            await order.finish()
            #expect(order.calls == ["commit", "message", "finish"])
        }
    }

    @Test func sendsNothing_whenTheDelegateCancels() async throws {
        try await withSpiedWebView { fixture in
            let page = try await fixture.attach()
            spy.actionPolicy = .cancel
            fixture.webView.load(elsewhere)
            try await spy.received("action")
            #expect(!fixture.webView.isLoading)
            async let answered = page.answer("\"result\":{\"value\":1}")
            try await fixture.webView.evaluateJavaScript("1")
            _ = try await answered
            #expect(await page.frames == 2, "the answer to page.attach, and the evaluation")
        }
    }

    @Test func reportsTermination_whenThePageHasGone() async throws {
        try await withSpiedWebView { fixture in
            let page = try await fixture.attach()
            page.drop()
            try await spy.received("terminate")
            #expect(spy.calls.last == "terminate")
        }
    }

    @Test func terminatesThePage() async throws {
        try await withWebView { fixture in
            fixture.webView.navigationDelegate = spy
            let page = try await fixture.attach()
            try await spy.received("finish")
            let failure = Task { () -> WKError.Code? in
                do {
                    try await fixture.webView.evaluateJavaScript("1")
                    return nil
                } catch {
                    return (error as? WKError)?.code
                }
            }
            _ = try await page.next("method", "script.evaluate")
            fixture.webView._killWebContentProcessAndResetState()
            #expect(await failure.value == .webContentProcessTerminated)
            try await spy.received("terminate")
            let blank = try await destination(page)
            #expect(blank?.contains("/document?web-view=main") == true)
            fixture.webView.load(URLRequest(url: try #require(URL(string: "http://localhost:3000/again"))))
            // The terminated page cannot be navigated. The document that replaces it can.
            let empty = try await fixture.attach(document: "empty")
            let again = try await destination(empty)
            #expect(again == "http://localhost:3000/again")
        }
    }

    @Test func failsLoad_ifThePageDoesNotAskForTheScript() async throws {
        try await withSpiedWebView { fixture in
            let page = try await fixture.attach()
            fixture.webView.load(URLRequest(url: try #require(URL(string: "http://localhost:3000/plain"))))
            _ = try await destination(page)
            page.drop()
            try await spy.received("failProvisional 1")
        }
    }

    @Test func servesHTMLString_underItsBaseURL() async throws {
        try await withSpiedWebView { fixture in
            let page = try await fixture.attach()
            fixture.webView.loadHTMLString("<!doctype html><p>hi", baseURL: URL(string: "http://app.test/a?b"))
            #expect(fixture.webView.url?.absoluteString == "http://app.test/a?b")
            let url = try #require(try await destination(page).flatMap { URLComponents(string: $0) })
            #expect(url.path == "/document" && url.queryItems?.map(\.name) == ["web-view", "key", "document"])
            let path = "/document?\(url.query ?? "")"
            let response = try await HTTPClient.request(path: path, port: fixture.port)
            let key = try #require(url.queryItems?[1].value)
            #expect(
                response.body.hasPrefix(
                    #"<!doctype html><script src="/bridge.js?web-view=main&key=\#(key)"></script><base href="http://app.test/a?b"><p>hi"#
                ))
        }
    }

    @Test func namesWebViewsInTurn_andFreesTheirNames() async throws {
        try await withWebView { fixture in
            let configuration = fixture.webView.configuration
            var second: WKWebView? = WKWebView(frame: .zero, configuration: configuration)
            #expect(fixture.webView.bridgedName == "main" && second?.bridgedName == "webview-2")
            second = nil
            #expect(WKWebView(frame: .zero, configuration: configuration).bridgedName == "webview-2")
        }
    }
}
