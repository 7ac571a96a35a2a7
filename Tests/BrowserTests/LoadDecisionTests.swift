import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeWebKit
import Foundation
import TestSupport
import Testing

/// What native code decides about the loads of a page with the script tag, in browsers that have the event `navigate`.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct LoadDecisionTests {
    private func pages(_ daemon: String) -> [String: DrivenSite.Page] {
        let head = "<!doctype html><script src=\"\(daemon)bridge.js\"></script>"
        return [
            "/": .init(
                html: """
                    \(head)<title>Start</title><a id=link href=/link>Link</a><a id=part href=#part>Part</a>
                    <form id=get action=/get></form><form id=post action=/post method=post></form>
                    """),
            "/next": .init(html: "\(head)<title>Next</title>"),
        ]
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func delegateIsAsked_ifTheBrowserTells(_ engine: Browser.Engine) async throws {
        try await withServer { server, address in
            let app = DecidingApp(server)
            let site = try DrivenSite(pages(address.url))
            let recorder = Recorder(server)
            let browser = try launch(engine, site.url + "/")
            defer { browser.close() }
            let page = try await attached(site.url + "/", server, recorder)
            // Firefox would lose what native code does instead of a load.
            let tells = engine == .chromium
            if tells { try await checkCancelled(app, page, site.url) }
            app.policy = .allow
            _ = try await page.value(of: "document.getElementById('part').click(); location.href = '/next'; 0")
            let next = try await attached(site.url + "/next", server, recorder)
            #expect(try await next.value(of: "document.title").string == "Next")
            #expect(app.calls == (tells ? ["-1 \(site.url)/next"] : []))
        }
    }

    private func checkCancelled(
        _ app: DecidingApp, _ page: Page, _ site: String
    ) async throws {
        app.policy = .cancel
        for (script, call) in [
            ("document.getElementById('link').click()", "0 \(site)/link"),
            ("document.getElementById('get').requestSubmit()", "1 \(site)/get?"),
            ("document.getElementById('post').submit()", "1 \(site)/post"),
            ("location.href = '/script'", "-1 \(site)/script"), ("location.reload()", "3 \(site)/"),
            ("location.href = 'mailto:a@b.c'", "-1 mailto:a@b.c"),
        ] {
            _ = try await page.value(of: "\(script); 0")
            try await app.received(call)
        }
        #expect(try await page.value(of: "document.title").string == "Start")
        app.calls = []
    }

    private func attached(_ url: String, _ server: BridgeServer, _ recorder: Recorder) async throws -> Page {
        func found() -> Page? { server.pages.first { $0.url == url && $0.isAttached } }
        _ = try await recorder.first { _ in found() != nil }
        return try #require(found())
    }
}

/// An app whose navigation delegate decides about loads, and notes what it is asked.
@MainActor private final class DecidingApp: NotingApp, WKNavigationDelegate {
    var policy = WKNavigationActionPolicy.allow

    init(_ server: BridgeServer) {
        super.init(server)
        webView.navigationDelegate = self
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    ) {
        decisionHandler(policy)
        note("\(navigationAction.navigationType.rawValue) \(navigationAction.request.url?.absoluteString ?? "")")
    }
}
