import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

@testable import BridgeWebKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `WKDownload` in driven browsers.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DownloadTests {
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
        _ engine: BrowserEngine, _ body: @MainActor (DrivenWindow, DownloadingApp) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        var app: DownloadingApp?
        try await withDrivenWindow(engine, pages) {
            app = DownloadingApp($0, folder)
        } _: { window in
            _ = try await window.page()
            let app = try #require(app)
            try await app.next("finish")
            try await body(window, app)
        }
    }

    private func request(_ path: String, of window: DrivenWindow) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: window.site.url + path)))
    }

    @Test(arguments: BrowserEngine.allCases.tried)
    func responseBecomesADownload_withThePagesCookies(_ engine: BrowserEngine) async throws {
        try await withApp(engine) { window, app in
            try await app.webView.evaluateJavaScript("document.links[0].click()")
            try await app.next("response attachment; filename=\"report 1.zip\"")
            let name = try await app.nextDestination()
            #expect(name == "report 1.zip")
            try await app.next("saved")
            #expect(try String(contentsOfFile: app.folder.path("report 1.zip"), encoding: .utf8) == "the file")
            #expect(app.calls.contains("fail WebKitErrorDomain 102"))
            #expect(app.webView.title == "First" && app.webView.url?.path == "/")
            let heads = window.site.requests.filter { $0.hasPrefix("GET /file ") }
            #expect(heads.count == 2 && heads.allSatisfy { $0.contains("session=secret") })
            let agent = try await app.webView.evaluateJavaScript("navigator.userAgent") as? String ?? ""
            #expect(heads.allSatisfy { $0.contains("User-Agent: \(agent)\r\n") })
        }
    }

    @Test(arguments: BrowserEngine.allCases.tried)
    func actionBecomesADownload_andIsRedirected(_ engine: BrowserEngine) async throws {
        try await withApp(engine) { window, app in
            app.actionPolicy = .download
            try await app.webView.evaluateJavaScript("document.links[1].click()")
            try await app.next("action /moved")
            try await app.next("redirect /file")
            try await app.next("saved")
            #expect(app.webView.title == "First" && !app.webView.isLoading)
            #expect(window.site.requests.count { $0.hasPrefix("GET /moved ") } == 1)
        }
    }

    /// A delegate that refuses and cancels at once, or decides twice, ends nothing but the download.
    @Test func refusedRedirectFails_andIsDecidedOnce() async throws {
        try await withApp(.webkit) { window, app in
            app.redirectPolicy = .cancel
            let refused = await app.webView.startDownload(using: try request("/moved", of: window))
            refused.delegate = app
            try await app.next("failed NSURLErrorDomain -999")
            #expect(window.site.requests.count { $0.hasPrefix("GET /file ") } == 0)
            let hasty = HastyDelegate()
            let cancelled = await app.webView.startDownload(using: try request("/moved", of: window))
            cancelled.delegate = hasty
            await hasty.decided()
            app.redirectPolicy = .allow
            let allowed = await app.webView.startDownload(using: try request("/moved", of: window))
            allowed.delegate = app
            try await app.next("saved")
        }
    }

    /// What the app has set for one server stays there.
    @Test func redirectToAnotherServer_getsNoAuthorization() async throws {
        let other = try DrivenSite(["/file": .init(html: "theirs")])
        let pages = [
            "/": DrivenSite.Page(html: ""),
            "/away": .init(html: "", status: 302, fields: ["Location: \(other.url)/file"]),
        ]
        try await withServer { server, _ in
            let site = try DrivenSite(pages)
            let app = DownloadingApp(server, try TemporaryFolder())
            var request = URLRequest(url: try #require(URL(string: "\(site.url)/away")))
            for (name, value) in [("Authorization", "Bearer secret"), ("Cookie", "own=1"), ("X-Own", "1")] {
                request.setValue(value, forHTTPHeaderField: name)
            }
            let download = await app.webView.startDownload(using: request)
            download.delegate = app
            try await app.next("saved")
            let first = try #require(site.requests.first)
            #expect(first.contains("Bearer secret") && first.contains("own=1"))
            let second = try #require(other.requests.first)
            #expect(!second.contains("secret") && !second.contains("own=1") && second.contains("X-Own: 1"))
        }
    }

    /// A name stays in the folder to which the app appends it.
    @Test(arguments: [
        ("http://a.example/x/..%2F..%2Fa.desktop", nil, ".._.._a.desktop"), ("http://a.example/", nil, "a.example"),
        ("http://a.example/f", "attachment; filename=\"../b\"", ".._b"),
        ("http://a.example/f", "attachment; filename=\"\"", "f"),
        ("http://a.example/f", "attachment; filename=\"..\"", "Unknown"),
        ("http://a.example/f", "attachment; filename=\"a \\\"b\\\".txt\"", "a \"b\".txt"),
        ("http://a.example/f", "attachment; filename=no quotes.txt; size=1", "no quotes.txt"),
        ("http://a.example/f", "attachment; filename=\"a.txt\"; filename*=UTF-8''%C3%A4%2Fb.txt", "ä_b.txt"),
        ("http://a.example/a%00b", nil, "a_b"), ("data:text/csv;base64,QQ==", nil, "Unknown"),
    ])
    func suggestedNameIsOne(_ url: String, _ disposition: String?, _ name: String) throws {
        let url = try #require(URL(string: url))
        let isOfServer = url.scheme == "http"
        let fields = disposition.map { ["Content-Disposition": $0] } ?? [:]
        let answer = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields)
        let plain = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        #expect(DownloadFile.name(for: isOfServer ? try #require(answer) : plain) == name)
    }

    @Test(arguments: BrowserEngine.allCases.tried)
    func blobOfThePageIsSaved(_ engine: BrowserEngine) async throws {
        try await withApp(engine) { _, app in
            let blob = "URL.createObjectURL(new Blob(['from the page'], { type: 'text/plain' }))"
            let text = try #require(try await app.webView.evaluateJavaScript(blob) as? String)
            let download = await app.webView.startDownload(using: URLRequest(url: try #require(URL(string: text))))
            download.delegate = app
            let name = try await app.nextDestination()
            try await app.next("saved")
            #expect(try String(contentsOfFile: app.folder.path(name), encoding: .utf8) == "from the page")
            #expect(download.progress.completedUnitCount == 13 && download.webView === app.webView)
        }
    }

    @Test func fileThatExistsIsKept() async throws {
        try await withApp(.webkit) { window, app in
            try Data("mine".utf8).write(to: URL(fileURLWithPath: app.folder.path("report 1.zip")))
            let download = await app.webView.startDownload(using: try request("/file", of: window))
            download.delegate = app
            try await app.next("failed NSURLErrorDomain -999")
            #expect(try String(contentsOfFile: app.folder.path("report 1.zip"), encoding: .utf8) == "mine")
            let problem = try await window.recorder.problem("webKitUnsupported")
            #expect(problem.text.contains("which WebKit does not replace"))
        }
    }

    @Test func silentServerEndsTheDownload_afterTheTimeOfTheRequest() async throws {
        try await withApp(.webkit) { window, app in
            var silent = try request("/silent", of: window)
            silent.timeoutInterval = 0.3
            let download = await app.webView.startDownload(using: silent)
            download.delegate = app
            try await app.next("failed NSURLErrorDomain -1001")
        }
    }

    @Test func cancelEndsTheDownload_andTheDelegateHearsNothing() async throws {
        try await withApp(.webkit) { window, app in
            let download = await app.webView.startDownload(using: try request("/silent", of: window))
            download.delegate = app
            try await offThread {
                while !window.site.requests.contains(where: { $0.contains("/silent") }) { usleep(5_000) }
            }
            #expect(await download.cancel() == nil)
            let other = await app.webView.startDownload(using: try request("/file", of: window))
            other.delegate = app
            try await app.next("saved")
            #expect(!app.calls.contains { $0.hasPrefix("failed") })
        }
    }
}

/// Cancels a download that is redirected, and then decides twice.
@MainActor private final class HastyDelegate: NSObject, WKDownloadDelegate {
    private let (decisions, decision) = AsyncStream.makeStream(of: Void.self)

    func decided() async { for await _ in decisions { return } }

    func download(
        _ download: WKDownload, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        decisionHandler: @escaping @MainActor @Sendable (WKDownload.RedirectPolicy) -> Void
    ) {
        download.cancel()
        decisionHandler(.allow)
        decisionHandler(.cancel)
        decision.yield()
    }

    func download(
        _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String
    ) async -> URL? { nil }
}

/// Saves downloads in a folder, and notes what happens.
@MainActor private final class DownloadingApp: NotingApp, WKNavigationDelegate, WKDownloadDelegate {
    var actionPolicy = WKNavigationActionPolicy.allow
    var redirectPolicy = WKDownload.RedirectPolicy.allow
    let folder: TemporaryFolder

    init(_ server: BridgeServer, _ folder: TemporaryFolder) {
        self.folder = folder
        super.init(server) { $0.websiteDataStore = .nonPersistent() }
        webView.navigationDelegate = self
    }

    /// Waits until a download asks for its destination, and returns the name that it suggests.
    func nextDestination() async throws -> String {
        while true {
            let call = try await next()
            if call.hasPrefix("destination ") { return String(call.dropFirst("destination ".count)) }
        }
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
        return redirectPolicy
    }

    func downloadDidFinish(_ download: WKDownload) { note("saved") }
    func download(_ download: WKDownload, didFailWithError error: any Error, resumeData: Data?) {
        note("failed \((error as NSError).domain) \((error as NSError).code)")
    }
}
