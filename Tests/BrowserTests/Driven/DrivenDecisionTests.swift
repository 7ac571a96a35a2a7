import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What native code decides about the loads and windows of driven Chromium, and of WebKit where it is compared with it.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenDecisionTests {
    private static let pages: [String: DrivenSite.Page] = [
        "/": .init(
            html: """
                <!doctype html><title>Start</title><a id=other href=/other target=_blank>Other</a>
                <a id=refused href="data:text/html,One">One</a><a id=failing href="data:text/html,Two">Two</a>
                """),
        "/other": .init(html: "<!doctype html><title>Other</title>"),
        "/app": .init(html: "<!doctype html><script>window.answer = Device.echo('early')</script>"),
    ]

    private func withApp(
        _ engine: BrowserEngine = .chromium, _ body: @MainActor (NativeApp, DrivenWindow, Page) async throws -> Void
    ) async throws {
        var app: NativeApp?
        try await withDrivenWindow(engine, Self.pages, prepare: { app = NativeApp($0) }) { window in
            try await body(try #require(app), window, try await window.page())
        }
    }

    @Test func cancelledResponseLeavesThePage() async throws {
        try await withApp { app, window, page in
            app.responsePolicy = .cancel
            _ = try await page.value(of: "location.href = '/other'; 0")
            try await app.received("response 200 text/html \(window.site.url)/other")
            #expect(try await page.value(of: "document.title").string == "Start")
            app.responsePolicy = .allow
            _ = try await page.value(of: "location.href = '/other'; 0")
            #expect(try await window.page("/other").value(of: "document.title").string == "Other")
        }
    }

    @Test func nativeCodeIsAskedAboutURLsOfOtherApps() async throws {
        try await withApp { app, _, page in
            app.actionPolicy = .cancel
            _ = try await page.value(of: "location.href = 'mailto:a@b.c'; 0")
            try await app.received("action mailto:a@b.c")
            #expect(try await page.value(of: "document.title").string == "Start")
        }
    }

    /// Both engines block documents in `data:` URLs in the main frame.
    @Test(arguments: [BrowserEngine.chromium, .webkit].tried)
    func nativeCodeIsAskedAboutDataURLs_whichThenFail(_ engine: BrowserEngine) async throws {
        try await withApp(engine) { app, _, page in
            app.actionPolicy = .cancel
            _ = try await page.value(of: "document.getElementById('refused').click(); 0")
            try await app.received("action data:text/html,One")
            app.actionPolicy = .allow
            _ = try await page.value(of: "document.getElementById('failing').click(); 0")
            try await app.received("failed WebKitErrorDomain 102")
            _ = try await page.value(of: "location.href = 'data:text/html,Three'; 0")
            try await app.received("action data:text/html,Three")
            #expect(try await page.value(of: "document.title").string == "Start")
            let asked = app.calls.filter { $0.hasPrefix("action data:") }
            #expect(asked == ["One", "Two", "Three"].map { "action data:text/html,\($0)" })
        }
    }

    @Test func failedLoadLeavesThePage() async throws {
        try await withApp { app, _, page in
            // The socket is closed at once.
            let port = try ListeningSocket().port
            _ = try await page.value(of: "location.href = 'http://127.0.0.1:\(port)/'; 0")
            try await app.received("failed \(NSURLErrorDomain) \(URLError.cannotConnectToHost.rawValue)")
            #expect(try await page.value(of: "document.title").string == "Start")
        }
    }

    @Test func refusedWindowDoesNotOpen() async throws {
        try await withApp { app, window, page in
            _ = try await page.value(of: "document.getElementById('other').click(); 0")
            try await app.received("window \(window.site.url)/other")
            #expect(app.calls.suffix(2) == ["action \(window.site.url)/other", "window \(window.site.url)/other"])
            #expect(try await page.value(of: "document.title").string == "Start")
            #expect(!window.site.requests.contains { $0.hasPrefix("GET /other") })
        }
    }

    /// `open` waits for the window.
    @Test func scriptGoesOn_ifItsWindowIsRefused() async throws {
        try await withApp { app, window, page in
            let isClosed = try await page.call(
                """
                const other = open("/other")
                return await new Promise((end) => {
                  const check = () => other.closed ? end(true) : setTimeout(check)
                  check()
                })
                """)
            #expect(isClosed.bool == true)
            try await app.received("window \(window.site.url)/other")
            #expect(!window.site.requests.contains { $0.hasPrefix("GET /other") })
        }
    }

    @Test func pageCallsInterfaceObjects_alsoBeforeItIsAttached() async throws {
        let prepare: @MainActor (BridgeServer) -> Void = { server in
            var device = JavascriptInterface()
            device.method("echo") { (text: String) in text }
            device.method("fail") { () throws -> Void in throw CocoaError(.fileNoSuchFile) }
            server.addJavascriptInterface(device, name: "Device")
        }
        try await withDrivenWindow(.chromium, Self.pages, prepare: prepare) { window in
            let start = try await window.page()
            _ = try await start.value(of: "location.href = '/app'; 0")
            let page = try await window.page("/app")
            #expect(try await page.value(of: "answer").string == "early")
            #expect(try await page.value(of: "Device.echo('\u{e9}'.repeat(100000)).length").json.number == 100_000)
            #expect(
                try await page.value(of: "try { Device.fail() } catch (error) { error.constructor.name }").string
                    == "Error")
        }
    }
}

/// The native half of an app: a web view whose delegates note what they are asked.
@MainActor private final class NativeApp: NotingApp, WKNavigationDelegate, WKUIDelegate {
    var actionPolicy = WKNavigationActionPolicy.allow
    var responsePolicy = WKNavigationResponsePolicy.allow

    init(_ server: BridgeServer) {
        super.init(server)
        webView.navigationDelegate = self
        webView.uiDelegate = self
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
    ) async -> WKNavigationActionPolicy {
        note("action \(navigationAction.request.url?.absoluteString ?? "")")
        return actionPolicy
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse
    ) async -> WKNavigationResponsePolicy {
        let response = navigationResponse.response
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        note("response \(status) \(response.mimeType ?? "") \(response.url?.absoluteString ?? "")")
        return responsePolicy
    }

    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        note("failed \((error as NSError).domain) \((error as NSError).code)")
    }

    func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
    ) -> WKWebView? {
        note("window \(navigationAction.request.url?.absoluteString ?? "")")
        return nil
    }
}
