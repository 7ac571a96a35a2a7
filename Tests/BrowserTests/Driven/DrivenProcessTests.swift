import BridgeBrowsers
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What native code learns if a process of a driven browser is killed.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenProcessTests {
    private static let pages: [String: DrivenSite.Page] = [
        "/": .init(html: "<!doctype html><title>Start</title>"),
        "/two": .init(html: "<!doctype html><title>Two</title>"),
    ]

    /// As on iOS: the evaluations fail, the delegate is called once, and the web view loads again.
    @Test(arguments: BrowserEngine.allCases.tried)
    func killedWebProcess_isReported_andTheWebViewLoadsAgain(_ engine: BrowserEngine) async throws {
        var app: NativeApp?
        try await withDrivenWindow(engine, Self.pages, prepare: { app = NativeApp($0) }) { window in
            let app = try #require(app)
            let page = try await window.page()
            #expect(try await app.next() == "finished /")
            let waiting = Task { try await page.call("await new Promise(() => {})") }
            _ = try await window.recorder.first { $0.event.kind == .callAsync }
            try killWebProcesses(of: window.browser)
            #expect(try await app.next() == "terminated")
            await #expect(throws: ScriptError.self) { try await waiting.value }
            app.webView.load(URLRequest(url: try #require(URL(string: window.site.url + "/two"))))
            let loaded = try await app.next()
            #expect(loaded == "finished /two")
            #expect(try await app.webView.evaluateJavaScript("document.title") as? String == "Two")
        }
    }

    /// Kills the processes that run the pages of a browser, which are in its process group.
    private func killWebProcesses(of browser: any DrivenBrowser) throws {
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        let found = processes.filter { id in
            guard getpgid(id) == browser.processID,
                let data = FileManager.default.contents(atPath: "/proc/\(id)/cmdline")
            else { return false }
            // The processes that a browser forks have one text with spaces.
            let arguments = String(decoding: data, as: UTF8.self).split { $0 == "\0" || $0 == " " }
            return switch browser.engine {
            case .chromium: arguments.contains("--type=renderer")
            case .firefox: arguments.contains("-contentproc") && arguments.last == "tab"
            case .webkit: arguments.first?.hasSuffix("WebKitWebProcess") == true
            }
        }
        try #require(!found.isEmpty, "The browser has no process for its pages.")
        for id in found { kill(id, SIGKILL) }
    }
}

/// A web view whose delegate notes the ends of its loads.
@MainActor private final class NativeApp: NotingApp, WKNavigationDelegate {
    init(_ server: BridgeServer) {
        super.init(server)
        webView.navigationDelegate = self
    }

    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        note("finished \(webView.url?.path ?? "")")
    }

    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
        note("failed \((error as NSError).domain) \((error as NSError).code)")
    }

    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        note("failed \((error as NSError).domain) \((error as NSError).code)")
    }

    func webViewWebContentProcessDidTerminate(_ webView: WKWebView) { note("terminated") }
}
