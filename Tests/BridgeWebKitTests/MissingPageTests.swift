import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Web views that get a window when they need one.
@MainActor @Suite(.timeLimit(.minutes(4))) struct MissingPageTests {
    @Test func loadAndScript_askForAWindow() async throws {
        try await withServer { server, _ in
            let configuration = WKWebViewConfiguration()
            configuration.bridgeServer = server
            let (names, continuation) = AsyncStream.makeStream(of: String.self)
            server.onPageMissing = { continuation.yield($0) }
            var asked = names.makeAsyncIterator()
            let first = WKWebView(frame: .zero, configuration: configuration)
            let second = WKWebView(frame: .zero, configuration: configuration)
            first.load(URLRequest(url: try #require(URL(string: "http://localhost:3000/"))))
            #expect(await asked.next(isolation: #isolation) == "main")
            second.evaluateJavaScript("1", completionHandler: nil)
            #expect(await asked.next(isolation: #isolation) == "webview-2")
        }
    }

    @Test func goneWebView_givesItsWindowBack() async throws {
        try await withServer { server, _ in
            let configuration = WKWebViewConfiguration()
            configuration.bridgeServer = server
            var gone: [String] = []
            server.onWebViewGone = { gone.append($0) }
            var webView: WKWebView? = WKWebView(frame: .zero, configuration: configuration)
            #expect(webView?.bridgedName == "main" && gone.isEmpty)
            webView = nil
            #expect(gone == ["main"])
        }
    }
}
