import BridgeProtocol
import BridgeServer
import BridgeTraffic
import BridgeWebKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The URL schemes of an app in WebKit itself: its `WKURLSchemeHandler` answers everything that pages request.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct SchemeTests {
    private let files = SchemeFiles()

    private func withApp(_ body: @MainActor (HostedWindow, WKWebView) async throws -> Void) async throws {
        var webView: WKWebView?
        try await withHostedWindow { server in
            let configuration = WKWebViewConfiguration()
            configuration.bridgeServer = server
            configuration.setURLSchemeHandler(files, forURLScheme: "App")
            let made = WKWebView(frame: .zero, configuration: configuration)
            made.navigationDelegate = files
            webView = made
        } _: { window in
            _ = try await window.page()
            let webView = try #require(webView)
            // The site's page finishes first.
            try await files.next("finish")
            try await body(window, webView)
        }
    }

    /// Waits for a title. WebKit may tell it just after the end of the load.
    private func has(_ title: String, _ webView: WKWebView, in window: HostedWindow) async throws {
        _ = try await window.recorder.first { _ in webView.title == title }
    }

    private func load(_ path: String, in webView: WKWebView) throws {
        webView.load(URLRequest(url: try #require(URL(string: "app://host\(path)"))))
    }

    @Test func pageGetsItsFiles() async throws {
        try await withApp { window, webView in
            var request = URLRequest(url: try #require(URL(string: "app://host/index.html")))
            request.setValue("own", forHTTPHeaderField: "X-Own")
            webView.load(request)
            try await files.next("finish")
            #expect(files.requests.first?.value(forHTTPHeaderField: "X-Own") == "own")
            #expect(webView.url?.absoluteString == "app://host/index.html")
            try await has("Files", webView, in: window)
            let script = """
                return [code, location.origin, getComputedStyle(document.body).color, document.images[0].naturalWidth]
                """
            let found = try await webView.callAsyncJavaScript(script, contentWorld: .page) as? [AnyHashable]
            #expect(found == ["ran", "app://host", "rgb(1, 2, 3)", 7])
        }
    }

    @Test func linksAndHistoryStayInTheScheme() async throws {
        try await withApp { window, webView in
            try load("/index.html", in: webView)
            try await files.next("finish")
            try await webView.evaluateJavaScript("document.links[0].click()")
            try await files.next("finish")
            #expect(webView.url?.path == "/second.html")
            try await has("Second", webView, in: window)
            webView.goBack()
            try await files.next("finish")
            try await has("Files", webView, in: window)
        }
    }

    @Test func fetchSendsABody_andGetsStatusAndHeader() async throws {
        try await withApp { _, webView in
            try load("/second.html", in: webView)
            try await files.next("finish")
            let script = """
                const body = "x".repeat(300000) + "€"
                const answer = await fetch("echo?a=b", { method: "POST", headers: { "X-A": "1" }, body })
                const text = await answer.text()
                return [answer.status, answer.headers.get("X-B"), text === body].join()
                """
            let found = try await webView.callAsyncJavaScript(script, contentWorld: .page) as? String
            #expect(found == "201,POST 1 a=b,true")
        }
    }

    @Test func documentNeedNotBeHTML() async throws {
        try await withApp { _, webView in
            try load("/plain.txt", in: webView)
            try await files.next("finish")
            let script = "[document.contentType, document.body.textContent]"
            #expect(try await webView.evaluateJavaScript(script) as? [String] == ["text/plain", "plain"])
        }
    }

    @Test func failuresReachTheDelegate_andThePage() async throws {
        try await withApp { _, webView in
            try load("/fail", in: webView)
            try await files.next("fail App 7")
            try load("/half", in: webView)
            try await files.next("fail App 8")
            try load("/second.html", in: webView)
            try await files.next("finish")
            let script = """
                const outcome = (path) => fetch(path).then((answer) => answer.text()).then(() => "came", () => "failed")
                return [await outcome("fail"), await outcome("plain.txt"), await outcome("half")]
                """
            let found = try await webView.callAsyncJavaScript(script, contentWorld: .page) as? [String]
            #expect(found == ["failed", "came", "failed"])
        }
    }

    /// A stream that the page reads, and a request that has no response, end when the page gives up.
    @Test func stopReachesTheHandler() async throws {
        try await withApp { window, webView in
            try load("/second.html", in: webView)
            try await files.next("finish")
            let script = """
                const control = new AbortController()
                const { signal } = control
                fetch("never", { signal }).catch(() => {})
                const answer = await fetch("parts", { signal })
                const part = await answer.body.getReader().read()
                setTimeout(() => control.abort())
                return new TextDecoder().decode(part.value)
                """
            #expect(try await webView.callAsyncJavaScript(script, contentWorld: .page) as? String == "one")
            var stopped: Set<String> = []
            while stopped.count < 2 { stopped.insert(try await files.next { $0.hasPrefix("stop") }) }
            #expect(stopped == ["stop /never", "stop /parts"])
            // On iOS this raises an exception.
            files.tasks["/parts"]?.didReceive(Data("two".utf8))
            let problem = try await window.recorder.problem("webKitUnsupported")
            #expect(problem.text.contains("This task has already been stopped"))
        }
    }

    @Test func loadThatIsStopped_stopsTheTask() async throws {
        try await withApp { window, webView in
            try load("/never", in: webView)
            try await files.next("start /never")
            webView.stopLoading()
            try await files.next("stop /never")
            try load("/second.html", in: webView)
            try await files.next("finish")
            try await has("Second", webView, in: window)
        }
    }
}

/// The files of an app, which its own scheme has, and what happens to requests for them.
@MainActor private final class SchemeFiles: NSObject, WKURLSchemeHandler, WKNavigationDelegate {
    private(set) var requests: [URLRequest] = []
    private(set) var tasks: [String: any WKURLSchemeTask] = [:]
    private let (events, event) = AsyncStream.makeStream(of: String.self)

    /// Waits for an event, and leaves out those before it.
    @discardableResult func next(_ isMeant: (String) -> Bool) async throws -> String {
        for await name in events where isMeant(name) { return name }
        throw CancellationError()
    }

    func next(_ name: String) async throws { try await next { $0 == name } }

    private static let texts = [
        "/index.html": (
            "text/html",
            """
            <!doctype html><title>Files</title><link rel="stylesheet" href="style.css"><script src="/code.js"></script>
            <body><img src="app://host/picture.svg"><a href="second.html">Second</a>
            """
        ),
        "/second.html": ("text/html", "<!doctype html><title>Second</title>"),
        "/style.css": ("text/css", "body { color: rgb(1, 2, 3) }"),
        "/code.js": ("text/javascript", "var code = 'ran'"),
        "/picture.svg": ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' width='7' height='7'/>"),
        "/plain.txt": ("text/plain", "plain"),
    ]

    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
        let request = urlSchemeTask.request
        guard let url = request.url else { return }
        requests.append(request)
        tasks[url.path] = urlSchemeTask
        event.yield("start \(url.path)")
        let (type, text) = SchemeFiles.texts[url.path] ?? ("text/plain", "")
        let response = URLResponse(
            url: url, mimeType: type, expectedContentLength: text.utf8.count, textEncodingName: "utf-8")
        switch url.path {
        case "/never": break
        case "/fail": urlSchemeTask.didFailWithError(NSError(domain: "App", code: 7))
        case "/half":
            urlSchemeTask.didReceive(response)
            urlSchemeTask.didReceive(Data("half".utf8))
            urlSchemeTask.didFailWithError(NSError(domain: "App", code: 8))
        case "/parts":
            urlSchemeTask.didReceive(response)
            urlSchemeTask.didReceive(Data("one".utf8))
        case "/echo":
            let field = [request.httpMethod, request.value(forHTTPHeaderField: "X-A"), url.query]
            let echo = HTTPURLResponse(
                url: url, statusCode: 201, httpVersion: "HTTP/1.1",
                headerFields: [
                    "Content-Type": "text/plain; charset=utf-8", "X-B": field.map { $0 ?? "-" }.joined(separator: " "),
                ])
            if let echo { urlSchemeTask.didReceive(echo) }
            urlSchemeTask.didReceive(request.httpBody ?? Data())
            urlSchemeTask.didFinish()
        default:
            urlSchemeTask.didReceive(response)
            urlSchemeTask.didReceive(Data(text.utf8))
            urlSchemeTask.didFinish()
        }
    }

    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
        event.yield("stop \(urlSchemeTask.request.url?.path ?? "")")
    }

    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) { event.yield("finish") }
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        event.yield("fail \((error as NSError).domain) \((error as NSError).code)")
    }
    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
        event.yield("fail \((error as NSError).domain) \((error as NSError).code)")
    }
}
