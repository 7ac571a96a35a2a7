import Testing
import WebKit

/// Runs the code of apps without a page.
@MainActor @Suite struct WebKitTests {
    private final class Delegate: BridgeDelegate {
        var received: [String: [String: AnyHashable]] = [:]

        func bridgeDidReceive(_ name: String, data: [String: AnyHashable]) { received[name] = data }
    }

    @Test func bridgeInstalls_andRemovesItself() {
        let webView = WKWebView(frame: .zero, configuration: makeConfiguration())
        var bridge: AppBridge? = AppBridge(webView: webView)
        #expect(webView.configuration.userContentController.userScripts.count == 1)
        #expect(bridge?.webView === webView)
        bridge = nil
        #expect(webView.configuration.applicationNameForUserAgent == "Turbo Native iOS")
    }

    @Test func fakeMessagesReachTheDelegate() {
        let bridge = AppBridge(webView: WKWebView())
        let delegate = Delegate()
        bridge.delegate = delegate
        bridge.receive(
            FakeScriptMessage(
                body: ["name": "connect", "data": ["title": "x"] as [String: AnyHashable]] as [String: AnyHashable]))
        #expect(delegate.received == ["connect": ["title": "x"]])
    }

    @Test func spiesSeeScripts_ofBothForms() async throws {
        let spy = CompletionSpy()
        let value = try await spy.evaluateJavaScript("1") as? String
        #expect(value == "spied" && spy.lastScript == "1")
        let asyncSpy = AsyncSpy()
        AppBridge(webView: asyncSpy).call("window.greet")
        #expect(asyncSpy.lastScript == "window.greet()")
    }

    @Test func visitGetsItsNavigation() throws {
        let visit = Visit()
        let webView = WKWebView()
        visit.start(try #require(URL(string: "http://localhost:3000/")), in: webView)
        #expect(visit.navigation != nil && webView.isLoading && webView.navigationDelegate === visit)
    }
}
