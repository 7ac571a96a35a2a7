import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

/// What native code decides and does beside scripts, in WebKit itself.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct WindowTests {
    private let log = DriverLog()
    private let pages = [
        "/": "<!doctype html><title>First</title><a href='/second'>x</a><a id=w href='/second' target=_blank>x</a>",
        "/second": "<!doctype html><title>Second</title>",
        "/moved": "/second",
        "/frames": "<!doctype html><title>Frames</title><iframe src='/second'></iframe>",
    ]

    private func withWindow(_ body: @MainActor (HostedWindow) async throws -> Void) async throws {
        try await withHostedWindow(pages) { server in
            server.defaultScope.driverHandler = { [log] message, page, reply in log.receive(message, page, reply) }
        } _: {
            try await body($0)
        }
    }

    @Test func nativeCodeDecidesAboutLoads() async throws {
        try await withWindow { window in
            let page = try await window.page()
            let url = window.site.url("/second")
            log.refused = [url]
            _ = try await page.value(of: "document.links[0].click()")
            #expect(try await log.next() == "decide \(url) link main")
            log.refused = []
            page.navigate(to: url)
            #expect(try await log.next() == "decide \(url) other main")
            #expect(try await log.next() == "started \(url)")
            #expect(try await log.next() == "response 200 text/html main")
            #expect(try await window.page("/second").value(of: "document.title").string == "Second")
        }
    }

    @Test func framesAreToldApart() async throws {
        try await withWindow { window in
            let page = try await window.page()
            page.navigate(to: window.site.url("/frames"))
            let expected = "decide \(window.site.url("/second")) other frame"
            var lines: [String] = []
            while lines.last != expected, lines.last?.hasPrefix("response 200 text/html frame") != true {
                lines.append(try await log.next())
            }
            #expect(lines.last == expected)
        }
    }

    @Test func windowsAreWebViewsOfTheirOwn() async throws {
        try await withWindow { window in
            let page = try await window.page()
            log.window = "second"
            _ = try await page.value(of: "document.getElementById('w').click()")
            let opened = try await window.page("/second")
            #expect(opened.webView == "second")
            #expect(try await opened.value(of: "window.close(), document.title").string == "Second")
            _ = try await window.recorder.first { _ in !opened.isAttached }
            #expect(page.isAttached)
        }
    }

    @Test func windowOfAScript_isAskedAbout() async throws {
        try await withWindow { window in
            let page = try await window.page()
            let url = window.site.url("/second")
            log.refused = [url]
            _ = try await page.value(of: "var popup = open('/second')")
            while try await log.next() != "decide \(url) other main" {}
            let closed = """
                return await new Promise((end) => {
                  const check = () => popup.closed ? end(1) : setTimeout(check)
                  check()
                })
                """
            #expect(try await page.call(closed).number == 1)
            #expect(!window.site.requests.contains { $0.hasPrefix("GET /second") })
        }
    }

    @Test(arguments: ["open('/moved'); 0", "w.href = '/moved', w.click()"])
    func windowIsAskedAboutOnce_ifItsFirstLoadIsRedirected(_ script: String) async throws {
        try await withWindow { window in
            let page = try await window.page()
            log.window = "second"
            _ = try await page.value(of: script)
            _ = try await window.page("/second")
            #expect(log.windows == [window.site.url("/moved")])
            while try await !log.next().hasPrefix("decide \(window.site.url("/second")) ") {}
        }
    }

    @Test func printingEnds_ifTheWebProcessDoes() async throws {
        let html = """
            <!doctype html><title>Busy</title><script>
            addEventListener("beforeprint", () => {
              webkit.messageHandlers.plain.postMessage("prints")
              for (;;);
            })
            </script>
            """
        try await withHostedWindow(["/": html]) { server in
            server.addHandler("plain", .plain { _, _ in .handled })
        } _: { window in
            let page = try await window.page()
            let pdf = Task { try await page.run(.pdf) }
            #expect(try await window.message(to: "plain").string == "prints")
            let process = try SystemProcess.all(of: window.process.id).first { $0.name.hasPrefix("WebKitWebProces") }
            kill(try #require(process).id, SIGKILL)
            await #expect(throws: ScriptError.self) { _ = try await pdf.value }
        }
    }

    @Test func dialogsAreAnswered() async throws {
        try await withHostedWindow { server in
            server.defaultScope.dialogHandler = { dialog in
                dialog.answer(dialog.kind == .prompt ? .accept("\(dialog.defaultText)!") : .dismiss)
            }
        } _: { window in
            let page = try await window.page()
            let answers = try await page.value(of: "[alert('a'), confirm('b'), prompt('c', 'd')]")
            #expect(answers.text == #"[null,false,"d!"] {"/0":"undefined"}"#)
        }
    }

    @Test func commandsReachTheWebView() async throws {
        try await withWindow { window in
            let page = try await window.page()
            let cookies = try await page.run(.allCookies)
            let session = cookies.json.elements.first { $0["name"]?.string == "session" }
            #expect(session?["httpOnly"]?.bool == true && session?["value"]?.string == "secret")
            let cookie = BrowserCookie(name: "mine", value: "1", domain: "127.0.0.1", path: "/")
            _ = try await page.run(.setCookie(cookie))
            #expect(try await page.value(of: "document.cookie").string == "mine=1")
            _ = try await page.run(.deleteCookie(cookie))
            // The page reads a copy of the cookies in its own process, which hears of a deletion later.
            let emptied = """
                return await new Promise((end) => {
                  const check = () => document.cookie ? setTimeout(check) : end(1)
                  check()
                })
                """
            #expect(try await page.call(emptied).number == 1)
            let picture = try await page.run(.snapshot(width: 100)).string
            let data = try #require(picture.flatMap { Data(base64Encoded: $0) })
            #expect(data.starts(with: [0x89, 0x50, 0x4E, 0x47]) && data[19] == 100)
            let html = "<!doctype html><title>Own</title>"
            let base = "https://app.example/start"
            _ = try await page.run(.loadHTML(html, baseURL: base))
            let own = try await window.page(at: base)
            #expect(try await own.value(of: "[document.title, location.href]").text == #"["Own","\#(base)"]"#)
        }
    }

    @Test func endOfTheWebProcessIsReported() async throws {
        try await withWindow { window in
            let page = try await window.page()
            let process = try SystemProcess.all(of: window.process.id).first { $0.name.hasPrefix("WebKitWebProces") }
            kill(try #require(process).id, SIGKILL)
            while try await log.next() != "terminated" {}
            page.navigate(to: window.site.url("/second"))
            #expect(try await window.page("/second").value(of: "1 + 1").number == 2)
        }
    }
}

extension Page {
    fileprivate func run(_ command: DriverCommand) async throws -> ScriptValue {
        try await withCheckedContinuation { continuation in
            self.command(command) { continuation.resume(returning: $0) }
        }.get()
    }
}

/// Answers what a driver asks, and lists it.
@MainActor private final class DriverLog {
    /// The URLs that may not load.
    var refused: [String] = []
    /// The URLs of windows about which it was asked.
    private(set) var windows: [String] = []
    /// The name of the web view for a window that opens.
    var window: String?
    private let (lines, continuation) = AsyncStream.makeStream(of: String.self)

    func next() async throws -> String {
        for await line in lines { return line }
        throw CancellationError()
    }

    func receive(_ message: DriverMessage, _ page: Page, _ reply: DriverReply) {
        switch message {
        case .decide(let question):
            let frame = question.isMainFrame ? "main" : "frame"
            if let response = question.response {
                continuation.yield("response \(response.status ?? 0) \(response.mimeType ?? "-") \(frame)")
            } else {
                continuation.yield("decide \(question.url) \(question.type?.rawValue ?? "-") \(frame)")
            }
            reply.decide(isAllowed: question.response != nil || !refused.contains(question.url))
        case .started(let url): continuation.yield("started \(url)")
        case .redirected(let url): continuation.yield("redirected \(url)")
        case .failed(let failure):
            let place = failure.isProvisional ? "provisional" : "committed"
            continuation.yield("failed \(failure.url) \(failure.domain) \(failure.code) \(place)")
        case .openWindow(let url):
            windows.append(url)
            reply.answer(window.map { NavigationDecision.webView($0) } ?? .refused)
        case .processTerminated: continuation.yield("terminated")
        case .dialog, .finished, .historyChanged, .progressed, .problem: break
        }
    }
}
