import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `WKDownload` in driven browsers.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct DownloadTests {
    private let spy = DownloadSpy()
    private let pages: [String: DrivenSite.Page] = [
        "/": .init(
            html: "<!doctype html><title>First</title><a href='/file'>x</a><a href='/moved'>y</a>",
            fields: ["Set-Cookie: session=secret; HttpOnly"]),
        "/file": .init(
            html: "the file", type: "application/zip",
            fields: ["Content-Disposition: attachment; filename=\"report 1.zip\""]),
        "/moved": .init(html: "", status: 302, fields: ["Location: /file"]),
        "/silent": .init(html: "", isAnswered: false),
    ]

    private func withApp(
        _ engine: BrowserEngine, _ body: @MainActor (DrivenWindow, WKWebView) async throws -> Void
    ) async throws {
        var webView: WKWebView?
        try await withDrivenWindow(engine, pages) { server in
            let configuration = WKWebViewConfiguration()
            configuration.bridgeServer = server
            configuration.websiteDataStore = .nonPersistent()
            let made = WKWebView(frame: .zero, configuration: configuration)
            made.navigationDelegate = spy
            webView = made
        } _: { window in
            _ = try await window.page()
            let webView = try #require(webView)
            try await spy.next("finish")
            try await body(window, webView)
        }
    }

    private func request(_ path: String, of window: DrivenWindow) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: window.site.url + path)))
    }

    @Test(arguments: BrowserEngine.allCases)
    func responseBecomesADownload_withThePagesCookies(_ engine: BrowserEngine) async throws {
        try await withApp(engine) { window, webView in
            try await webView.evaluateJavaScript("document.links[0].click()")
            try await spy.next("response attachment; filename=\"report 1.zip\"")
            let name = try await spy.nextDestination()
            #expect(name == "report 1.zip")
            try await spy.next("saved")
            #expect(try String(contentsOfFile: spy.folder.path("report 1.zip"), encoding: .utf8) == "the file")
            #expect(spy.events.contains("fail WebKitErrorDomain 102"))
            #expect(webView.title == "First" && webView.url?.path == "/")
            let heads = window.site.requests.filter { $0.hasPrefix("GET /file ") }
            #expect(heads.count == 2 && heads.allSatisfy { $0.contains("session=secret") })
            let agent = try await webView.evaluateJavaScript("navigator.userAgent") as? String ?? ""
            #expect(heads.allSatisfy { $0.contains("User-Agent: \(agent)\r\n") })
        }
    }

    @Test(arguments: BrowserEngine.allCases)
    func actionBecomesADownload_andIsRedirected(_ engine: BrowserEngine) async throws {
        try await withApp(engine) { window, webView in
            spy.actionPolicy = .download
            try await webView.evaluateJavaScript("document.links[1].click()")
            try await spy.next("action /moved")
            try await spy.next("redirect /file")
            try await spy.next("saved")
            #expect(webView.title == "First" && !webView.isLoading)
            #expect(window.site.requests.count { $0.hasPrefix("GET /moved ") } == 1)
        }
    }

    @Test(arguments: BrowserEngine.allCases)
    func blobOfThePageIsSaved(_ engine: BrowserEngine) async throws {
        try await withApp(engine) { _, webView in
            let blob = "URL.createObjectURL(new Blob(['from the page'], { type: 'text/plain' }))"
            let text = try #require(try await webView.evaluateJavaScript(blob) as? String)
            let download = await webView.startDownload(using: URLRequest(url: try #require(URL(string: text))))
            download.delegate = spy
            let name = try await spy.nextDestination()
            try await spy.next("saved")
            #expect(try String(contentsOfFile: spy.folder.path(name), encoding: .utf8) == "from the page")
            #expect(download.progress.completedUnitCount == 13 && download.webView === webView)
        }
    }

    @Test func fileThatExistsIsKept() async throws {
        try await withApp(.webkit) { window, webView in
            try Data("mine".utf8).write(to: URL(fileURLWithPath: spy.folder.path("report 1.zip")))
            let download = await webView.startDownload(using: try request("/file", of: window))
            download.delegate = spy
            try await spy.next("failed NSURLErrorDomain -999")
            #expect(try String(contentsOfFile: spy.folder.path("report 1.zip"), encoding: .utf8) == "mine")
            let text = try await window.recorder.first { record in
                if case .problem("webKitUnsupported", let text, _, _, _) = record.event {
                    text.contains("which WebKit does not replace")
                } else {
                    false
                }
            }
            #expect(text.event.kind == .problem)
        }
    }

    @Test func cancelEndsTheDownload_andTheDelegateHearsNothing() async throws {
        try await withApp(.webkit) { window, webView in
            let download = await webView.startDownload(using: try request("/silent", of: window))
            download.delegate = spy
            try await offThread {
                while !window.site.requests.contains(where: { $0.contains("/silent") }) { usleep(5_000) }
            }
            #expect(await download.cancel() == nil)
            let other = await webView.startDownload(using: try request("/file", of: window))
            other.delegate = spy
            try await spy.next("saved")
            #expect(!spy.events.contains { $0.hasPrefix("failed") })
        }
    }
}

/// Saves downloads in a folder, and records what happens.
@MainActor private final class DownloadSpy: NSObject, WKNavigationDelegate, WKDownloadDelegate {
    var actionPolicy = WKNavigationActionPolicy.allow
    let folder: TemporaryFolder
    private(set) var events: [String] = []
    private let (stream, continuation) = AsyncStream.makeStream(of: String.self)

    override init() {
        do {
            folder = try TemporaryFolder()
        } catch {
            fatalError("\(error)")
        }
    }

    private func note(_ event: String) {
        events.append(event)
        continuation.yield(event)
    }

    private func next(_ isMeant: (String) -> Bool) async throws -> String {
        for await event in stream where isMeant(event) { return event }
        throw CancellationError()
    }

    /// Waits for an event, and leaves out those before it.
    func next(_ event: String) async throws { _ = try await next { $0 == event } }

    /// Waits until a download asks for its destination, and returns the name that it suggests.
    func nextDestination() async throws -> String {
        String(try await next { $0.hasPrefix("destination ") }.dropFirst("destination ".count))
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
    ) async -> WKNavigationActionPolicy {
        actionPolicy
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse
    ) async -> WKNavigationResponsePolicy {
        navigationResponse.canShowMIMEType ? .allow : .download
    }

    func webView(_ webView: WKWebView, navigationAction: WKNavigationAction, didBecome download: WKDownload) {
        download.delegate = self
        note("action \(navigationAction.request.url?.path ?? "")")
    }

    func webView(_ webView: WKWebView, navigationResponse: WKNavigationResponse, didBecome download: WKDownload) {
        download.delegate = self
        let response = navigationResponse.response as? HTTPURLResponse
        note("response \(response?.value(forHTTPHeaderField: "Content-Disposition") ?? "-")")
    }

    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) { note("finish") }
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        note("fail \((error as NSError).domain) \((error as NSError).code)")
    }

    func download(
        _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String
    ) async -> URL? {
        note("destination \(suggestedFilename)")
        return URL(fileURLWithPath: folder.path(suggestedFilename))
    }

    func download(
        _ download: WKDownload, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) async -> WKDownload.RedirectPolicy {
        note("redirect \(request.url?.path ?? "")")
        return .allow
    }

    func downloadDidFinish(_ download: WKDownload) { note("saved") }
    func download(_ download: WKDownload, didFailWithError error: any Error, resumeData: Data?) {
        note("failed \((error as NSError).domain) \((error as NSError).code)")
    }
}
