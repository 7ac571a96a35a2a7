import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

/// A second web view of the app, in a window that the app asks for.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct SecondWebViewTests {
    private static let pages: [String: DrivenSite.Page] = ["/": .init(html: "<!doctype html><title>Start</title>")]

    /// A new window shows an empty document first, and the HTML without a base URL is written into another empty one.
    /// Neither must count as the document that has loaded.
    @Test(arguments: BrowserEngine.allCases)
    func htmlWithoutABase_isThere_whenItsLoadHasFinished(_ engine: BrowserEngine) async throws {
        var second: SecondWebView?
        try await withDrivenWindow(engine, Self.pages, prepare: { second = SecondWebView($0) }) { window in
            let second = try #require(second)
            let page = try await window.page()
            second.load("<!doctype html><title>Written</title><p>Hello")
            page.command("webView.open", [.init("name", .string(SecondWebView.name))])
            #expect(try await second.titleWhenFinished() == "Written")
            #expect(second.calls == ["start", "commit", "finish"])
        }
    }
}

/// The native half: a web view with a delegate that notes how its load goes on.
@MainActor private final class SecondWebView: NSObject, WKNavigationDelegate {
    static let name = "second"
    private(set) var calls: [String] = []
    private let webView: WKWebView
    private var finished: AsyncStream<Void>.Continuation?

    init(_ server: BridgeServer) {
        let configuration = WKWebViewConfiguration()
        configuration.bridgeServer = server
        configuration.bridgedWebViewName = SecondWebView.name
        webView = WKWebView(frame: .zero, configuration: configuration)
        super.init()
        webView.navigationDelegate = self
    }

    func load(_ html: String) { webView.loadHTMLString(html, baseURL: nil) }

    /// Waits for the end of the load, and reads the title of the document that the web view shows then.
    func titleWhenFinished() async throws -> String? {
        if !calls.contains("finish") { try await waitForValue { finished = $0 } }
        return try await webView.evaluateJavaScript("document.title") as? String
    }

    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
        calls.append("start")
    }

    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) { calls.append("commit") }

    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        calls.append("finish")
        finished?.yield()
    }

    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
        calls.append("failed \(error)")
    }

    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        calls.append("failed \(error)")
    }
}
