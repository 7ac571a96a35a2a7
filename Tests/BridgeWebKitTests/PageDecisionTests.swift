import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

/// A page with the script tag asks about its loads by a synchronous call, if the navigation delegate decides.
@MainActor @Suite(.timeLimit(.minutes(2))) struct PageDecisionTests {
    private final class Policies: NSObject, WKNavigationDelegate {
        var asked: [String] = []
        var answers: [WKNavigationActionPolicy] = []

        func webView(
            _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
            decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
        ) {
            let url = navigationAction.request.url?.absoluteString ?? ""
            let isMain = navigationAction.targetFrame?.isMainFrame ?? false
            asked.append("\(navigationAction.navigationType.rawValue) \(url) \(isMain)")
            guard !answers.isEmpty else { return }
            decisionHandler(answers.removeFirst())
        }
    }

    private func withPage(_ body: @MainActor (WebViewFixture, Policies) async throws -> Void) async throws {
        try await withWebView { fixture in
            let policies = Policies()
            fixture.webView.navigationDelegate = policies
            let page = try await fixture.attach()
            try await body(fixture, policies)
            withExtendedLifetime(page) {}
        }
    }

    @Test func delegateDecides() async throws {
        try await withPage { (fixture: WebViewFixture, policies: Policies) async throws in
            policies.answers = [.allow, .cancel, .cancel]
            #expect(try await fixture.mayLoad("http://localhost:3000/a", "link", seq: 1) == true)
            #expect(try await fixture.mayLoad("http://localhost:3000/b", "form", seq: 2) == false)
            #expect(try await fixture.mayLoad("http://localhost:3000/c", "script", seq: 3) == false)
            #expect(
                policies.asked == [
                    "0 http://localhost:3000/a true", "1 http://localhost:3000/b true",
                    "-1 http://localhost:3000/c true",
                ])
            // The connection may break before the answer has arrived.
            #expect(try await fixture.mayLoad("http://localhost:3000/c", "script", seq: 3) == false)
            #expect(policies.asked.count == 3)
        }
    }

    /// The delegate releases its decision handler without a call.
    @Test func loadWithoutADecision_isCancelled() async throws {
        try await withPage { (fixture: WebViewFixture, policies: Policies) async throws in
            let recorder = Recorder(fixture.server)
            #expect(try await fixture.mayLoad("http://localhost:3000/a", "link", seq: 1) == false)
            #expect(try await recorder.problem("loadCancelled").text.contains("http://localhost:3000/a"))
        }
    }

    @Test func pageAsksOnlyIfThereIsADelegate() async throws {
        try await withPage { (fixture: WebViewFixture, policies: Policies) async throws in
            let settings = try await fixture.settings()
            #expect(settings.contains(#""loads":true"#))
            fixture.webView.navigationDelegate = nil
            let others = try await fixture.settings()
            #expect(!others.contains(#""loads":"#))
            #expect(try await fixture.mayLoad("http://localhost:3000/a", "link", seq: 1) == true)
        }
    }
}

extension WebViewFixture {
    fileprivate func settings() async throws -> String {
        try await HTTPClient.request(path: "/bridge.js?web-view=\(webView.bridgedName)", port: port).body
    }

    /// Asks about a load, as `bridge.js` does.
    fileprivate func mayLoad(_ url: String, _ type: String, seq: Int) async throws -> Bool {
        let attach = try JSON.parse(PageClient.attach(document: "d-1", webView: webView.bridgedName))["params"] ?? .null
        let call = """
            {"jsonrpc":"2.0","id":\(seq),"method":"interface.call",\
            "params":{"seq":\(seq),"handler":"window","method":"navigate","body":["\(url)","\(type)"]}}
            """
        let response = try await HTTPClient.request(
            "POST", path: "/call", port: port, headers: ["Origin: http://localhost", "Content-Type: application/json"],
            body: #"{"attach":\#(attach.text),"messages":[\#(call)]}"#)
        let value = try JSON.parse(response.body)["result"]?["value"]?.bool
        return try #require(value as Bool?)
    }
}
