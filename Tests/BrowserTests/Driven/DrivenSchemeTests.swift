import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A URL scheme of an app in driven browsers that do not know it. `SchemeTests` has those of WebKit.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenSchemeTests {
    @Test(arguments: [BrowserEngine.chromium, .firefox].tried)
    func handlerGivesDocuments_alsoToLinks(_ engine: BrowserEngine) async throws {
        var app: SchemeApp?
        try await withDrivenWindow(engine, ["/": .init(html: "<!doctype html><title>Site</title>")]) {
            app = SchemeApp($0)
        } _: { window in
            _ = try await window.page()
            let app = try #require(app)
            let webView = app.webView
            try await app.next("finish")
            webView.load(URLRequest(url: try #require(URL(string: "app://host/first"))))
            try await app.next("finish")
            #expect(try await webView.evaluateJavaScript("document.body.textContent") as? String == "/first next")
            _ = try await webView.evaluateJavaScript("document.links[0].click(), 1")
            try await app.next("finish")
            #expect(try await webView.evaluateJavaScript("document.body.textContent") as? String == "/second next")
            #expect(webView.url?.absoluteString == "app://host/second", "\(app.calls)")
            let problem = try await window.recorder.problem("webKitUnsupported")
            #expect(problem.text.hasPrefix("The browser does not know the scheme app"))
        }
    }
}

/// An app whose pages are of its own scheme.
@MainActor private final class SchemeApp: NotingApp, WKNavigationDelegate {
    init(_ server: BridgeServer) {
        super.init(server) { $0.setURLSchemeHandler(Files(), forURLScheme: "app") }
        webView.navigationDelegate = self
    }

    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
        note("start \(webView.url?.absoluteString ?? "")")
    }

    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
        note("commit \(webView.url?.absoluteString ?? "")")
    }

    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) { note("fail \(error)") }

    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) { note("finish") }
}

@MainActor private final class Files: NSObject, WKURLSchemeHandler {
    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
        guard let url = urlSchemeTask.request.url else { return }
        urlSchemeTask.didReceive(
            URLResponse(url: url, mimeType: "text/html", expectedContentLength: -1, textEncodingName: nil))
        let html = "<!doctype html><body>\(url.path) <a href='second'>next</a>"
        urlSchemeTask.didReceive(Data(html.utf8))
        urlSchemeTask.didFinish()
    }

    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {}
}
