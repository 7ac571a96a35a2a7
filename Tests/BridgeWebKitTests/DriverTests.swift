import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A web view whose page is driven: the driver asks and tells what a page with the script tag cannot.
@MainActor @Suite(.timeLimit(.minutes(4))) struct DriverTests {
    private let spy = DriverSpy()

    private func withDrivenPage(_ body: @MainActor (WebViewFixture, PageClient) async throws -> Void) async throws {
        try await withWebView { fixture in
            fixture.webView.navigationDelegate = spy
            fixture.webView.uiDelegate = spy
            let (page, _) = try await fixture.attachDriven()
            try await spy.received("finish")
            spy.calls = []
            try await body(fixture, page)
        }
    }

    private func link(_ url: String, _ more: String = "") -> String {
        #"{"url":"\#(url)","type":"link","isMainFrame":true\#(more)}"#
    }

    // MARK: Decisions

    @Test func delegateDecidesAboutLinks() async throws {
        try await withDrivenPage { _, page in
            let allowed = try await page.ask("navigation.decide", link("http://localhost:3000/a"))
            spy.policy = .cancel
            let cancelled = try await page.ask("navigation.decide", link("mailto:a@b.c", #","hasTargetFrame":false"#))
            #expect(allowed["result"]?["policy"]?.string == "allow")
            #expect(cancelled["result"]?["policy"]?.string == "cancel")
            #expect(spy.calls == ["action 0 http://localhost:3000/a main", "action 0 mailto:a@b.c window"])
        }
    }

    @Test func ownLoadIsDecidedOnce_andItsRedirectAgain() async throws {
        try await withDrivenPage { fixture, page in
            fixture.webView.load(URLRequest(url: try #require(URL(string: "http://localhost:3000"))))
            _ = try await page.next("method", "page.navigate")
            for url in ["http://localhost:3000/", "http://localhost:3000/sign-in"] {
                let params = #"{"url":"\#(url)","type":"other","isMainFrame":true}"#
                #expect(try await page.ask("navigation.decide", params)["result"]?["policy"]?.string == "allow")
            }
            page.tell("navigation.started", #"{"url":"http://localhost:3000/"}"#)
            page.tell("navigation.redirected", #"{"url":"http://localhost:3000/sign-in"}"#)
            try await spy.received("redirect http://localhost:3000/sign-in")
            #expect(
                spy.calls == [
                    "action -1 http://localhost:3000 main", "start", "action -1 http://localhost:3000/sign-in main",
                    "redirect http://localhost:3000/sign-in",
                ])
        }
    }

    /// The delegate of a web view that has loaded nothing, or has cancelled its load, learns of nothing.
    @Test func emptyDocumentOfAWindow_isNoLoad() async throws {
        try await withWebView { fixture in
            fixture.webView.navigationDelegate = spy
            let (page, _) = try await fixture.attachDriven(url: "about:blank")
            let evaluation = Task { _ = try await fixture.webView.evaluateJavaScript("1", contentWorld: .page) }
            let request = try await page.next("method", "script.evaluate")
            page.send(#"{"jsonrpc":"2.0","id":\#(request["id"]?.number ?? 0),"result":{"value":1}}"#)
            try await evaluation.value
            #expect(spy.calls == [] && !fixture.webView.isLoading)
            fixture.webView.load(URLRequest(url: try #require(URL(string: "http://localhost:3000/a"))))
            _ = try await page.next("method", "page.navigate")
            #expect(spy.calls == ["action -1 http://localhost:3000/a main", "start"])
        }
    }

    @Test func delegateCancelsResponses() async throws {
        try await withDrivenPage { fixture, page in
            spy.responsePolicy = .cancel
            let params =
                #"{"url":"http://localhost:3000/a.pdf","isMainFrame":true,"response":{"status":200,"mimeType":"application/pdf"}}"#
            #expect(try await page.ask("navigation.decide", params)["result"]?["policy"]?.string == "cancel")
            try await spy.received("failProvisional WebKitErrorDomain 102")
            #expect(spy.calls == ["start", "response 200 application/pdf", "failProvisional WebKitErrorDomain 102"])
            #expect(fixture.webView.url?.absoluteString == "http://localhost:3000/" && !fixture.webView.isLoading)
        }
    }

    /// A server chooses the type, so it must not be a way around the question.
    @Test func delegateCancelsAResponse_whoseTypeIsTooLong() async throws {
        try await withDrivenPage { _, page in
            spy.responsePolicy = .cancel
            let type = "text/html \(String(repeating: "x", count: 300))"
            let params = #"{"url":"http://localhost:3000/","isMainFrame":true,"response":{"mimeType":"\#(type)"}}"#
            let answer = try await page.ask("navigation.decide", params)
            #expect(answer["result"]?["policy"]?.string == "cancel")
        }
    }

    @Test func allowedResponseIsNotDecidedAgain_whenItsDocumentAttaches() async throws {
        try await withDrivenPage { fixture, page in
            _ = try await page.ask("navigation.decide", link("http://localhost:3000/a"))
            page.tell("navigation.started", #"{"url":"http://localhost:3000/a"}"#)
            let params = #"{"url":"http://localhost:3000/a","isMainFrame":true,"response":{"status":404}}"#
            #expect(try await page.ask("navigation.decide", params)["result"]?["policy"]?.string == "allow")
            _ = try await fixture.attachDriven(document: "d-2")
            try await spy.received("finish")
            let expected = ["action 0 http://localhost:3000/a main", "start", "response 404 -", "commit", "finish"]
            #expect(spy.calls == expected)
        }
    }

    /// The browser has the response of a load when native code begins another one.
    @Test func responseOfAReplacedLoadIsNotThatOfTheNext() async throws {
        try await withDrivenPage { fixture, page in
            fixture.webView.load(URLRequest(url: try #require(URL(string: "http://localhost:3000/next"))))
            _ = try await page.next("method", "page.navigate")
            let late = #"{"url":"http://localhost:3000/late","isMainFrame":true,"response":{"status":404}}"#
            #expect(try await page.ask("navigation.decide", late)["result"]?["policy"]?.string == "allow")
            let next = #"{"url":"http://localhost:3000/next","isMainFrame":true,"response":{"status":200}}"#
            #expect(try await page.ask("navigation.decide", next)["result"]?["policy"]?.string == "allow")
            #expect(spy.calls == ["action -1 http://localhost:3000/next main", "start", "response 200 -"])
        }
    }

    /// The page that gets the load is just being replaced, so that it never begins there.
    @Test func loadIsSentToTheNextPage_ifTheFirstIsReplaced() async throws {
        try await withDrivenPage { fixture, page in
            fixture.webView.load(URLRequest(url: try #require(URL(string: "http://localhost:3000/next"))))
            _ = try await page.next("method", "page.navigate")
            let (other, _) = try await fixture.attachDriven(document: "d-2")
            let request = try await other.next("method", "page.navigate")
            #expect(request["params"]?["url"]?.string == "http://localhost:3000/next")
        }
    }

    @Test func anotherLoadCancelsTheFirst() async throws {
        try await withDrivenPage { fixture, page in
            page.tell("navigation.started", #"{"url":"http://localhost:3000/a"}"#)
            page.tell("navigation.started", #"{"url":"http://localhost:3000/b"}"#)
            try await spy.received("failProvisional NSURLErrorDomain -999")
            try await spy.received("start", times: 2)
            #expect(spy.calls == ["start", "failProvisional NSURLErrorDomain -999", "start"])
            #expect(fixture.webView.url?.path == "/b" && fixture.webView.isLoading)
        }
    }

    /// The browser goes on with a load until it gets the next one, about which the delegate may decide for long.
    @Test func reportsOfAReplacedLoad_doNotTouchTheNext() async throws {
        try await withDrivenPage { fixture, page in
            func failure(_ url: String) -> String {
                #"{"url":"\#(url)","domain":"NSURLErrorDomain","code":-1004,"text":"Refused","isProvisional":true}"#
            }
            let (first, second) = ("http://localhost:9/first", "http://localhost:9/second")
            fixture.webView.load(URLRequest(url: try #require(URL(string: first))))
            _ = try await page.next("method", "page.navigate")
            page.tell("navigation.started", #"{"url":"\#(first)"}"#)
            let (decisions, decide) = AsyncStream.makeStream(of: Void.self)
            spy.decides = { for await _ in decisions { return } }
            fixture.webView.load(URLRequest(url: try #require(URL(string: second))))
            try await spy.received("action -1 \(second) main")
            page.tell("navigation.failed", failure(first))
            page.tell("progress.changed", #"{"value":0.25}"#)
            try await fixture.webView.wait(until: \.estimatedProgress, is: 0.25)
            decide.yield()
            #expect(try await page.next("method", "page.navigate")["params"]?["url"]?.string == second)
            page.tell("navigation.started", #"{"url":"\#(first)"}"#)
            page.tell("navigation.failed", failure(first))
            page.tell("navigation.started", #"{"url":"\#(second)"}"#)
            page.tell("navigation.failed", failure(second))
            try await spy.received("failProvisional NSURLErrorDomain -1004")
            #expect(
                spy.calls == [
                    "action -1 \(first) main", "start", "failProvisional NSURLErrorDomain -999",
                    "action -1 \(second) main", "start", "failProvisional NSURLErrorDomain -1004",
                ])
        }
    }

    /// The document that gets the HTML may be gone before its driver has answered.
    @Test func documentIsShown_ifTheOneBeforeHasGoneFirst() async throws {
        try await withDrivenPage { fixture, page in
            fixture.webView.loadHTMLString("<p>", baseURL: URL(string: "app://host/second"))
            _ = try await page.next("method", "page.loadHTML")
            page.close(1_001)
            _ = await page.closeCode()
            _ = try await fixture.attachDriven(document: "d-2", url: "about:blank")
            try await spy.received("finish")
            #expect(spy.calls.filter { $0.hasPrefix("fail") } == [])
            #expect(fixture.webView.url?.absoluteString == "app://host/second")
        }
    }

    // MARK: Failures

    @Test func failuresAreThoseOfIOS() async throws {
        try await withDrivenPage { fixture, page in
            fixture.webView.load(URLRequest(url: try #require(URL(string: "http://localhost:9/"))))
            _ = try await page.next("method", "page.navigate")
            page.tell(
                "navigation.failed",
                #"{"url":"http://localhost:9/","domain":"NSURLErrorDomain","code":-1004,"text":"Refused","isProvisional":true}"#
            )
            try await spy.received("failProvisional NSURLErrorDomain -1004")
            let error = try #require(spy.error as? URLError)
            #expect(error.code == .cannotConnectToHost && error.localizedDescription == "Refused")
            #expect(fixture.webView.url?.absoluteString == "http://localhost:3000/")
            page.tell("navigation.started", #"{"url":"http://localhost:3000/b"}"#)
            page.tell(
                "navigation.failed",
                #"{"url":"http://localhost:3000/b","domain":"D","code":7,"text":"","isProvisional":false}"#)
            try await spy.received("fail D 7")
        }
    }

    @Test func endOfTheProcessIsReported() async throws {
        try await withDrivenPage { fixture, page in
            let webView = fixture.webView
            let value = Task { try await webView.evaluateJavaScript("1", contentWorld: .page) as? Int }
            _ = try await page.next("method", "script.evaluate")
            page.tell("process.terminated")
            try await spy.received("terminate")
            await #expect(throws: WKError.self) { _ = try await value.value }
            webView.reload()
            let request = try await page.next("method", "page.navigate")
            #expect(request["params"]?["url"]?.string == "http://localhost:3000/")
        }
    }

    // MARK: Windows and dialogs

    @Test func delegateMakesTheWebViewOfAWindow() async throws {
        try await withDrivenPage { fixture, page in
            let refused = try await page.ask("window.open", #"{"url":"http://localhost:3000/w"}"#)
            #expect(refused["result"]?["policy"]?.string == "cancel")
            spy.opensWindows = true
            let opened = try await page.ask("window.open", #"{"url":"http://localhost:3000/w"}"#)
            #expect(opened["result"]?["webView"]?.string == spy.window?.bridgedName)
            #expect(spy.window?.bridgedName != fixture.webView.bridgedName)
            #expect(spy.calls.last == "window http://localhost:3000/w")
        }
    }

    @Test func delegateAnswersDialogs() async throws {
        try await withDrivenPage { _, page in
            let answer = try await page.ask("dialog.show", #"{"type":"prompt","text":"Name?","default":"Z"}"#)
            #expect(answer["result"]?.description == #"{"confirmed":true,"text":"Z!"}"#)
        }
    }

    @Test func delegateChoosesFiles() async throws {
        try await withDrivenPage { _, page in
            let folder = try TemporaryFolder()
            let file = folder.path("a.txt")
            try Data("a".utf8).write(to: URL(fileURLWithPath: file))
            spy.files = [URL(fileURLWithPath: file)]
            let ask = #"{"type":"openPanel","text":"","multiple":true}"#
            let answer = try await page.ask("dialog.show", ask)
            #expect(answer["result"]?.description == #"{"confirmed":true,"files":["\#(file)"]}"#)
            #expect(spy.calls.last == "files true")
            withExtendedLifetime(folder) { spy.files = nil }
            let dismissed = try await page.ask("dialog.show", ask)
            #expect(dismissed["result"]?.description == #"{"confirmed":false}"#)
        }
    }

    @Test func missingFileDismissesTheOpenPanel_andIsReported() async throws {
        try await withDrivenPage { fixture, page in
            let recorder = Recorder(fixture.server)
            spy.files = [URL(fileURLWithPath: "/missing/a.txt")]
            let answer = try await page.ask("dialog.show", #"{"type":"openPanel","text":""}"#)
            #expect(answer["result"]?.description == #"{"confirmed":false}"#)
            let record = try await recorder.first { $0.event.kind == .problem }
            #expect("\(record)".contains("/missing/a.txt"))
        }
    }

    // MARK: History and progress

    @Test func backForwardListIsThatOfTheDriver() async throws {
        try await withDrivenPage { fixture, page in
            let list = fixture.webView.backForwardList
            page.tell(
                "history.changed",
                #"{"entries":[{"url":"http://a/"},{"url":"http://b/"},{"url":"http://b/"}],"index":1}"#)
            try await fixture.webView.wait(until: \.canGoForward, is: true)
            #expect(list.backList.map(\.url.absoluteString) == ["http://a/"])
            #expect(list.forwardList.map(\.url.absoluteString) == ["http://b/"])
            let kept = try #require(list.backItem)
            page.tell("history.changed", #"{"entries":[{"url":"http://a/","title":"A"}],"index":0}"#)
            try await fixture.webView.wait(until: \.canGoBack, is: false)
            #expect(list.currentItem === kept && kept.title == "A" && !fixture.webView.canGoForward)
            // The documents that attach do not change it: the driver says so if they do.
            _ = try await fixture.attachDriven(document: "d-2")
            #expect(list.backList.isEmpty && list.currentItem === kept)
        }
    }

    @Test func progressIsThatOfTheDriver() async throws {
        try await withDrivenPage { fixture, page in
            page.tell("navigation.started", #"{"url":"http://localhost:3000/b"}"#)
            page.tell("progress.changed", #"{"value":7}"#)
            page.tell("progress.changed", #"{"value":0.25}"#)
            try await fixture.webView.wait(until: \.estimatedProgress, is: 0.25)
        }
    }

    // MARK: Requests of native code

    @Test func driverMakesAPDF() async throws {
        try await withDrivenPage { fixture, page in
            let webView = fixture.webView
            let pdf = Task { try await webView.pdf() }
            try await page.answer(#""result":{"value":"JVBERg=="}"#, to: "page.pdf")
            #expect(try await pdf.value == Data("%PDF".utf8))
            let missing = Task { try await webView.pdf() }
            try await page.answer(#""error":{"code":-32601,"message":"no"}"#, to: "page.pdf")
            await #expect(throws: WKError.self) { _ = try await missing.value }
        }
    }

    @Test func driverShowsHTML_andStops() async throws {
        try await withDrivenPage { fixture, page in
            fixture.webView.loadHTMLString("<p>", baseURL: URL(string: "https://example.com/"))
            let params = try await page.next("method", "page.loadHTML")["params"]
            #expect(params?.description == #"{"html":"<p>","baseURL":"https://example.com/"}"#)
            let request = URLRequest(url: try #require(URL(string: "https://example.com/a")))
            fixture.webView.loadSimulatedRequest(request, responseHTML: "<b>")
            let simulated = try await page.next("method", "page.loadHTML")["params"]
            #expect(simulated?.description == #"{"html":"<b>","baseURL":"https://example.com/a"}"#)
            fixture.webView.stopLoading()
            _ = try await page.next("method", "page.stop")
            #expect(spy.calls.last == "failProvisional NSURLErrorDomain -999")
        }
    }

    @Test func driverTakesAPicture() async throws {
        try await withDrivenPage { fixture, page in
            let webView = fixture.webView
            let configuration = WKSnapshotConfiguration()
            configuration.snapshotWidth = 10
            let image = Task { try await webView.takeSnapshot(configuration: configuration) }
            let params = try await page.answer(#""result":{"value":"iVBORw=="}"#, to: "page.snapshot")
            #expect(params.description == #"{"width":10}"#)
            #expect(try await image.value.pngData()?.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
            let missing = Task { try await webView.takeSnapshot(configuration: nil) }
            try await page.answer(#""error":{"code":-32601,"message":"no"}"#, to: "page.snapshot")
            await #expect(throws: WKError.self) { _ = try await missing.value }
        }
    }

    @Test func driverHasTheCookies() async throws {
        try await withServer { server, address in
            let configuration = WKWebViewConfiguration()
            configuration.bridgeServer = server
            configuration.websiteDataStore = .nonPersistent()
            let fixture = WebViewFixture(
                server: server, webView: WKWebView(frame: .zero, configuration: configuration), port: address.port)
            let store = configuration.websiteDataStore.httpCookieStore
            let cookie = try #require(
                HTTPCookie(properties: [.name: "a", .value: "1", .domain: "localhost", .path: "/"]))
            // A change before the first page precedes the first load.
            await store.setCookie(cookie)
            fixture.webView.load(URLRequest(url: try #require(URL(string: "http://localhost:3000/x"))))
            let (page, _) = try await fixture.attachDriven()
            let set = try await page.answer(#""result":{"value":null}"#, to: "cookies.set")
            _ = try await page.next("method", "page.navigate")
            #expect(set["cookie"]?["name"]?.string == "a" && set["cookie"]?["httpOnly"]?.bool == false)
            async let cookies = store.allCookies()
            try await page.answer(
                #""result":{"value":[{"name":"s","value":"2","domain":"localhost","path":"/","httpOnly":true,"expires":2000000000}]}"#,
                to: "cookies.all")
            let found = try #require(await cookies.first)
            #expect(found.isHTTPOnly && found.value == "2" && found.expiresDate?.timeIntervalSince1970 == 2_000_000_000)
            async let deleted: Void = store.deleteCookie(found)
            let params = try await page.answer(#""result":{"value":null}"#, to: "cookies.delete")
            await deleted
            #expect(params["cookie"]?["name"]?.string == "s")
        }
    }

    /// A script of the page, a response or native code may change them.
    @Test func observerLearnsOfChangedCookies_andNotOfThoseThatStay() async throws {
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        final class Observer: NSObject, WKHTTPCookieStoreObserver {
            let change: AsyncStream<Void>.Continuation
            init(_ change: AsyncStream<Void>.Continuation) { self.change = change }
            func cookiesDidChange(in cookieStore: WKHTTPCookieStore) { change.yield() }
        }
        try await withServer { server, address in
            let configuration = WKWebViewConfiguration()
            configuration.bridgeServer = server
            configuration.websiteDataStore = .nonPersistent()
            let fixture = WebViewFixture(
                server: server, webView: WKWebView(frame: .zero, configuration: configuration), port: address.port)
            let store = configuration.websiteDataStore.httpCookieStore
            let observer = Observer(change)
            store.add(observer)
            let (page, _) = try await fixture.attachDriven()
            let session = #"{"name":"s","value":"2","domain":"localhost","path":"/"}"#
            let other = #"{"name":"t","value":"3","domain":"localhost","path":"/"}"#
            // The first answer is what there was. The browser's order is no change.
            for cookies in ["\(session),\(other)", "\(other),\(session)", session] {
                try await page.answer(#""result":{"value":[\#(cookies)]}"#, to: "cookies.all")
            }
            for await _ in changes { break }
            store.remove(observer)
            change.finish()
            var more = 0
            for await _ in changes { more += 1 }
            #expect(more == 0)
        }
    }
}

extension WKWebView {
    /// Waits until an observed property has a value.
    fileprivate func wait<Value: Equatable & Sendable>(
        until property: KeyPath<WKWebView, Value>, is value: Value
    ) async throws {
        guard self[keyPath: property] != value else { return }
        var observation: NSKeyValueObservation?
        try await waitForValue { done in
            observation = observe(property) { webView, _ in
                if webView[keyPath: property] == value { done.yield(()) }
            }
        }
        observation?.invalidate()
    }
}

/// Records the calls of the delegates, and makes set decisions.
@MainActor final class DriverSpy: NSObject, WKNavigationDelegate, WKUIDelegate {
    var calls: [String] = []
    var policy = WKNavigationActionPolicy.allow
    var responsePolicy = WKNavigationResponsePolicy.allow
    /// Ends when the delegate decides; nil if it does at once.
    var decides: (() async -> Void)?
    var opensWindows = false
    var files: [URL]?
    private(set) var window: WKWebView?
    private(set) var error: (any Error)?
    private var waiting: [(call: String, times: Int, continuation: AsyncStream<Void>.Continuation)] = []

    /// Waits until a call has come so many times.
    func received(_ call: String, times: Int = 1) async throws {
        if count(of: call) < times { try await waitForValue { waiting.append((call, times, $0)) } }
    }

    private func count(of call: String) -> Int { calls.count { $0 == call } }

    private func note(_ call: String) {
        calls.append(call)
        let count = count(of: call)
        for entry in waiting where entry.call == call && entry.times <= count { entry.continuation.yield() }
        waiting.removeAll { $0.call == call && $0.times <= count }
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
    ) async -> WKNavigationActionPolicy {
        let target = navigationAction.targetFrame.map { $0.isMainFrame ? "main" : "frame" } ?? "window"
        let url = navigationAction.request.url?.absoluteString ?? ""
        note("action \(navigationAction.navigationType.rawValue) \(url) \(target)")
        await decides?()
        return policy
    }

    func webView(
        _ webView: WKWebView, runOpenPanelWith parameters: WKOpenPanelParameters, initiatedByFrame frame: WKFrameInfo
    ) async -> [URL]? {
        note("files \(parameters.allowsMultipleSelection)")
        return files
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse
    ) async -> WKNavigationResponsePolicy {
        let response = navigationResponse.response
        note("response \((response as? HTTPURLResponse)?.statusCode ?? 0) \(response.mimeType ?? "-")")
        return responsePolicy
    }

    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) { note("start") }
    func webView(_ webView: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation!) {
        note("redirect \(webView.url?.absoluteString ?? "")")
    }
    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) { note("commit") }
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) { note("finish") }
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        self.error = error
        note("failProvisional \((error as NSError).domain) \((error as NSError).code)")
    }
    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
        note("fail \((error as NSError).domain) \((error as NSError).code)")
    }
    func webViewWebContentProcessDidTerminate(_ webView: WKWebView) { note("terminate") }

    func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
    ) -> WKWebView? {
        note("window \(navigationAction.request.url?.absoluteString ?? "")")
        if opensWindows { window = WKWebView(frame: .zero, configuration: configuration) }
        return window
    }

    func webView(
        _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
        initiatedByFrame frame: WKFrameInfo
    ) async -> String? {
        "\(defaultText ?? "")!"
    }
}
