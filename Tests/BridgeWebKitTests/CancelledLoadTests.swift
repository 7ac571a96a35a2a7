import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A navigation delegate that decides within the call, and notes what happens meanwhile.
@MainActor private final class CallOrder: NSObject, WKNavigationDelegate {
    var calls: [String] = [] {
        didSet { for waiter in waiting where calls.contains(waiter.call) { waiter.go.yield() } }
    }
    var responsePolicy = WKNavigationResponsePolicy.allow
    private var waiting: [(call: String, go: AsyncStream<Void>.Continuation)] = []

    func received(_ call: String) async throws {
        if !calls.contains(call) { try await waitForValue { waiting.append((call, $0)) } }
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void
    ) {
        calls.append("decide")
        decisionHandler(responsePolicy)
        calls.append("decided")
    }

    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
        // A page that attaches by itself begins a load that native code has not asked for.
        if webView.url?.path == "/customers" { calls.append("start") }
    }

    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        calls.append("failProvisional \((error as NSError).code)")
    }
}

/// WebKit does not call the delegate within a call of native code that ends a load.
@MainActor @Suite(.timeLimit(.minutes(4))) struct CancelledLoadTests {
    /// A delegate that reports an error of its own within the decision handler is not overtaken by WebKit's.
    @Test func tellsOfACancelledResponse_afterTheDecisionHandler() async throws {
        try await withWebView { fixture in
            let order = CallOrder()
            fixture.webView.navigationDelegate = order
            order.responsePolicy = .cancel
            let page = try await fixture.attach()
            try await order.received("failProvisional 102")
            #expect(order.calls == ["decide", "decided", "failProvisional 102"])
            _ = page
        }
    }

    @Test func tellsOfACancelledLoad_afterTheCallThatCancelsIt() async throws {
        try await withWebView { fixture in
            let order = CallOrder()
            fixture.webView.navigationDelegate = order
            for cancel in [{ $0.stopLoading() }, { $0.loadHTMLString("", baseURL: nil) }] as [(WKWebView) -> Void] {
                order.calls = []
                fixture.webView.load(URLRequest(url: try #require(URL(string: "http://localhost:3000/customers"))))
                try await order.received("start")
                order.calls = []
                cancel(fixture.webView)
                order.calls.append("returned")
                try await order.received("failProvisional -999")
                #expect(order.calls.prefix(2) == ["returned", "failProvisional -999"])
                fixture.webView.stopLoading()
            }
        }
    }
}
