import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a `WKNavigationDelegate` gets if a load fails in WebKit itself.
@MainActor @Suite(.serialized, .timeLimit(.minutes(1))) struct LoadFailureTests {
    private let pages = ["/": "<!doctype html><title>First</title>"]

    private func withWebView(
        _ body: @MainActor (WKWebView, LoadLog, HostedWindow) async throws -> Void
    ) async throws {
        let log = LoadLog()
        var webView: WKWebView?
        try await withHostedWindow(pages) { server in
            let configuration = WKWebViewConfiguration()
            configuration.bridgeServer = server
            configuration.bridgedWebViewName = "main"
            webView = WKWebView(frame: .zero, configuration: configuration)
            webView?.navigationDelegate = log
        } _: { window in
            #expect(try await log.next() == "finished /")
            try await body(try #require(webView), log, window)
        }
    }

    @Test func errorsAreThoseOfIOS() async throws {
        try await withWebView { webView, log, window in
            let closed = try ListeningSocket().port
            for (url, line) in [
                ("http://127.0.0.1:\(closed)/", "failed provisional NSURLErrorDomain -1004"),
                ("http://nowhere.invalid/", "failed provisional NSURLErrorDomain -1003"),
            ] {
                webView.load(URLRequest(url: try #require(URL(string: url))))
                #expect(try await log.next() == line)
                #expect(webView.url?.absoluteString == window.site.url && !webView.isLoading)
            }
            // The page before is still there.
            #expect(try await webView.evaluateJavaScript("document.title") as? String == "First")
        }
    }

    @Test func endOfTheWebProcessIsReported() async throws {
        try await withWebView { webView, log, window in
            for process in try SystemProcess.all(of: window.process.id)
            where process.name.hasPrefix("WebKitWebProces") { kill(process.id, SIGKILL) }
            #expect(try await log.next() == "terminated")
            webView.reload()
            #expect(try await log.next() == "finished /")
        }
    }
}

/// Lists how the loads of a web view end.
@MainActor private final class LoadLog: NSObject, WKNavigationDelegate {
    private let (lines, continuation) = AsyncStream.makeStream(of: String.self)

    func next() async throws -> String {
        for await line in lines { return line }
        throw CancellationError()
    }

    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        continuation.yield("finished \(webView.url?.path ?? "")")
    }

    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        continuation.yield("failed provisional \((error as NSError).domain) \((error as NSError).code)")
    }

    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
        continuation.yield("failed committed \((error as NSError).domain) \((error as NSError).code)")
    }

    func webViewWebContentProcessDidTerminate(_ webView: WKWebView) { continuation.yield("terminated") }
}
