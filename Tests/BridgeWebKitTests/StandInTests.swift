import BridgeProtocol
import BridgeServer
import BridgeTraffic
import BridgeWebKit
import Foundation
import TestSupport
import Testing

/// What the stand-in does of WebKit's lesser parts, and what it reports where a browser cannot do it.
@MainActor @Suite(.timeLimit(.minutes(2))) struct StandInTests {
    /// A handler of `app:` URLs that answers all but `app://host/missing`.
    private final class AppFiles: NSObject, WKURLSchemeHandler {
        var stopped = 0

        func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
            guard let url = urlSchemeTask.request.url, url.path != "/never" else { return }
            guard url.path != "/missing" else { return urlSchemeTask.didFailWithError(URLError(.fileDoesNotExist)) }
            urlSchemeTask.didReceive(
                URLResponse(url: url, mimeType: "text/html", expectedContentLength: -1, textEncodingName: "utf-8"))
            urlSchemeTask.didReceive(Data("<p>from ".utf8))
            urlSchemeTask.didReceive(Data("\(url.path)".utf8))
            urlSchemeTask.didFinish()
        }

        func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) { stopped += 1 }
    }

    /// The changes that observers have seen.
    @MainActor private final class Seen {
        private(set) var texts: [String] = []
        private var waiting: [(text: String, continuation: AsyncStream<Void>.Continuation)] = []

        func append(_ text: String) {
            texts.append(text)
            for entry in waiting where entry.text == text { entry.continuation.yield() }
        }

        func received(_ text: String) async throws {
            if !texts.contains(text) { try await waitForValue { waiting.append((text, $0)) } }
        }
    }

    private func problems(_ server: BridgeServer) -> [String] {
        server.traffic.query(TrafficFilter([.init(.kind, "problem")]), limit: .max).records
            .compactMap { TrafficRecord(json: $0.json) }
            .compactMap { if case .problem("webKitUnsupported", let text, _, _, _) = $0.event { text } else { nil } }
    }

    @Test func schemeHandlerGivesTheDocument() async throws {
        let files = AppFiles()
        let spy = NavigationSpy()
        try await withWebView(make: { configuration in
            configuration.setURLSchemeHandler(files, forURLScheme: "app")
            return WKWebView(frame: .zero, configuration: configuration)
        }) { fixture in
            let webView = fixture.webView
            webView.navigationDelegate = spy
            let page = try await fixture.attach()
            webView.load(URLRequest(url: try #require(URL(string: "app://host/index.html"))))
            #expect(webView.url?.absoluteString == "app://host/index.html")
            let request = try await page.next("method", "page.navigate")
            let url = try #require(request["params"]?["url"]?.string)
            let document = try await HTTPClient.request(
                path: "/document\(url.drop { $0 != "?" })", port: fixture.port)
            #expect(document.body.contains(#"<base href="app://host/index.html"><p>from /index.html"#))

            webView.load(URLRequest(url: try #require(URL(string: "app://host/never"))))
            webView.load(URLRequest(url: try #require(URL(string: "app://host/missing"))))
            try await spy.received("failProvisional \(URLError.Code.fileDoesNotExist.rawValue)")
            #expect(problems(fixture.server).contains { $0.hasPrefix("The browser does not know the scheme app") })
        }
    }

    @Test func observersLearnOfChanges() async throws {
        try await withWebView { fixture in
            let webView = fixture.webView
            let seen = Seen()
            var observations = [
                webView.observe(\.title, options: [.new]) { _, change in
                    seen.append("title \((change.newValue ?? nil) ?? "nil")")
                },
                webView.observe(\.isLoading, options: [.initial, .new, .old]) { _, change in
                    seen.append("loading \(change.oldValue.map { "\($0)" } ?? "-") \(change.newValue ?? false)")
                },
                webView.observe(\.canGoBack) { webView, change in
                    seen.append("back \(webView.canGoBack) \(change.newValue == nil)")
                },
            ]
            #expect(seen.texts == ["loading - false"])
            let page = try await fixture.attach()
            try await seen.received("title Test")
            try await seen.received("loading false true")
            try await seen.received("loading true false")
            page.send(
                #"{"jsonrpc":"2.0","method":"page.update","params":{"url":"http://localhost:3000/b","title":"B"}}"#)
            try await seen.received("title B")
            try await seen.received("back true true")

            let list = webView.backForwardList
            #expect(list.currentItem?.url.path == "/b" && list.currentItem?.title == "B")
            #expect(list.backItem?.title == "Test" && list.item(at: -1) === list.backItem)
            #expect(list.backList.count == 1 && list.forwardItem == nil && list.item(at: .max) == nil)
            observations.removeAll()
            let count = seen.texts.count
            webView.go(to: try #require(list.backItem))
            let request = try await page.next("method", "page.navigate")
            #expect(request["params"]?["delta"]?.number == -1)
            #expect(seen.texts.count == count && webView.isLoading)
        }
    }

    @Test func reportsWhatABrowserCannotDo_once() async throws {
        try await withWebView { fixture in
            let webView = fixture.webView
            let error = await #expect(throws: WKError.self) { try await webView.takeSnapshot(configuration: nil) }
            #expect(error?.localizedDescription.hasPrefix("takeSnapshot is unavailable") == true)
            let store = WKWebViewConfiguration()
            store.bridgeServer = fixture.server
            store.websiteDataStore = .nonPersistent()
            let other = WKWebView(frame: .zero, configuration: store)
            let cookies = other.configuration.websiteDataStore.httpCookieStore
            #expect(await cookies.allCookies().isEmpty)
            #expect(await cookies.allCookies().isEmpty)
            await other.configuration.websiteDataStore.removeData(ofTypes: [], modifiedSince: .distantPast)
            webView.scrollView.contentInsetAdjustmentBehavior = .never
            let found = problems(fixture.server)
            #expect(found.count == 3)
            for text in ["WKHTTPCookieStore has no cookies", "WKWebsiteDataStore.removeData", "WKWebView.scrollView"] {
                #expect(found.contains { $0.hasPrefix(text) })
            }
        }
    }

    @Test func contentOffsetScrollsThePage() async throws {
        try await withWebView { fixture in
            let page = try await fixture.attach()
            fixture.webView.scrollView.setContentOffset(CGPoint(x: 0, y: 120), animated: true)
            let params = try await page.answer(#""result":{"value":null,"types":{"":"undefined"}}"#)
            #expect(params["source"]?.string == "window.scrollTo(0.0, 120.0)")
        }
    }
}
