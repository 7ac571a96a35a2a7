import BridgeProtocol
import BridgeWebKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A URL scheme of an app in driven browsers that do not know it. `SchemeTests` has those of WebKit.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenSchemeTests {
    @Test(arguments: [BrowserEngine.chromium, .firefox])
    func handlerGivesDocuments_alsoToLinks(_ engine: BrowserEngine) async throws {
        let files = Files()
        var webView: WKWebView?
        try await withDrivenWindow(engine, ["/": .init(html: "<!doctype html><title>Site</title>")]) { server in
            let configuration = WKWebViewConfiguration()
            configuration.bridgeServer = server
            configuration.setURLSchemeHandler(files, forURLScheme: "app")
            let made = WKWebView(frame: .zero, configuration: configuration)
            made.navigationDelegate = files
            webView = made
        } _: { window in
            _ = try await window.page()
            let webView = try #require(webView)
            try await files.finish()
            webView.load(URLRequest(url: try #require(URL(string: "app://host/first"))))
            try await files.finish()
            #expect(try await webView.evaluateJavaScript("document.body.textContent") as? String == "/first next")
            _ = try await webView.evaluateJavaScript("document.links[0].click(), 1")
            try await files.finish()
            #expect(try await webView.evaluateJavaScript("document.body.textContent") as? String == "/second next")
            #expect(webView.url?.absoluteString == "app://host/second")
            let problem = try await window.recorder.first { record in
                if case .problem("webKitUnsupported", _, _, _, _) = record.event { true } else { false }
            }
            guard case .problem(_, let text, _, _, _) = problem.event else { return }
            #expect(text.hasPrefix("The browser does not know the scheme app"))
        }
    }
}

@MainActor private final class Files: NSObject, WKURLSchemeHandler, WKNavigationDelegate {
    private let (finishes, finished) = AsyncStream.makeStream(of: Void.self)

    func finish() async throws {
        for await _ in finishes { return }
        throw CancellationError()
    }

    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
        guard let url = urlSchemeTask.request.url else { return }
        urlSchemeTask.didReceive(
            URLResponse(url: url, mimeType: "text/html", expectedContentLength: -1, textEncodingName: nil))
        let html = "<!doctype html><body>\(url.path) <a href='second'>next</a>"
        urlSchemeTask.didReceive(Data(html.utf8))
        urlSchemeTask.didFinish()
    }

    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {}
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) { finished.yield() }
}
