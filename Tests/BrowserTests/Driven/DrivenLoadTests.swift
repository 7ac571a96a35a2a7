import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

/// What native code decides about loads of driven browsers, and learns of them.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenLoadTests {
    nonisolated static let engines = BrowserEngine.allCases.tried

    private let pages = [
        "/": DrivenSite.Page(
            html: """
                <!doctype html><title>First</title><a id=link href=/two>Two</a><a id=blank href=/popup target=_blank></a>
                <form id=form action=/form method=post><button id=send>Send</button></form>
                """),
        "/two": .init(html: "<!doctype html><title>Two</title>"),
        "/form": .init(html: "<!doctype html><title>Form</title>"),
        "/empty": .init(html: "", status: 401, fields: ["Set-Cookie: b=2"]),
        "/popup": .init(html: "<!doctype html><title>Popup</title>"),
    ]

    private func withWindow(
        _ engine: BrowserEngine, cancelling cancelled: String = "",
        _ body: @MainActor (DrivenWindow, Spy) async throws -> Void
    ) async throws {
        let spy = Spy(cancelled)
        try await withDrivenWindow(engine, pages) { server in
            server.defaultScope.driverHandler = { spy.receive($0, $1, $2) }
        } _: { window in
            spy.site = window.site.url
            _ = try await window.page()
            try await body(window, spy)
        }
    }

    @Test(arguments: engines) func nativeCodeIsAskedAboutLinksAndForms(_ engine: BrowserEngine) async throws {
        try await withWindow(engine) { window, spy in
            _ = try await window.page().value(of: "link.click()")
            let two = try await window.page("/two")
            #expect(spy.calls == ["link /two", "started /two", "response 200 text/html /two"])
            spy.calls = []
            two.navigate(.delta(-1))
            let again = try await window.page("/", besides: two)
            // A page of the back/forward cache has no response. Chromium begins no load for it, either.
            let expected =
                switch engine {
                case .webkit: ["backForward /", "started /"]
                case .chromium: [String]()
                case .firefox: ["backForward /", "started /", "response 200 text/html /"]
                }
            #expect(spy.calls == expected)
            spy.calls = []
            _ = try await again.value(of: "send.click()")
            _ = try await window.page("/form")
            #expect(spy.calls == ["form /form", "started /form", "response 200 text/html /form"])
        }
    }

    /// Chromium would show an error page of its own, which has no URL of the app.
    @Test(arguments: engines) func errorWithoutABodyIsAPage(_ engine: BrowserEngine) async throws {
        try await withWindow(engine) { window, spy in
            _ = try await window.page().value(of: "document.cookie = 'a=1'; location.href = '/empty'")
            let page = try await window.page("/empty")
            #expect(try await page.value(of: "document.body.textContent.trim()").string == "")
            #expect(try await page.value(of: "document.cookie").string?.contains("b=2") == true)
            #expect(spy.calls.contains { $0.hasPrefix("response 401") && $0.hasSuffix("/empty") }, "\(spy.calls)")
        }
    }

    @Test(arguments: engines) func cancelIsObeyed(_ engine: BrowserEngine) async throws {
        try await withWindow(engine, cancelling: "link /two") { window, spy in
            let page = try await window.page()
            _ = try await page.value(of: "link.click()")
            try await spy.waits { $0 == ["link /two"] }
            #expect(try await page.value(of: "document.title").string == "First")
            #expect(!window.site.requests.contains { $0.hasPrefix("GET /two") })
        }
        try await withWindow(engine, cancelling: "response 200 text/html /two") { window, spy in
            let page = try await window.page()
            _ = try await page.value(of: "link.click()")
            try await spy.waits { $0.last == "response 200 text/html /two" }
            #expect(try await page.value(of: "document.title").string == "First")
            #expect(page.isAttached && window.server.pages.count == 1)
        }
    }

    @Test(arguments: engines) func failuresAreThoseOfIOS(_ engine: BrowserEngine) async throws {
        try await withWindow(engine) { window, spy in
            let page = try await window.page()
            let port = try ListeningSocket().port
            // Chromium asks no name server on a machine whose only network is the loopback interface, and is offline (-1009).
            for (url, codes) in [
                ("http://127.0.0.1:\(port)/", [-1004]), ("http://missing.invalid/", [-1003, -1009]),
                ("unknown:x", [-1002]),
            ] {
                spy.calls = []
                page.navigate(to: url)
                let failures = codes.map { "failed NSURLErrorDomain \($0) true \(url)" }
                try await spy.waits { $0.last.map(failures.contains) == true }
            }
            // The page stays attached, so that native code can go on.
            #expect(page.isAttached)
            page.navigate(to: window.site.url + "/two")
            #expect(try await window.page("/two").value(of: "document.title").string == "Two")
        }
    }

    @Test(arguments: engines) func nativeCodeIsAskedAboutWindows(_ engine: BrowserEngine) async throws {
        try await withWindow(engine) { window, spy in
            _ = try await window.page().value(of: "blank.click()")
            #expect(try await window.page("/popup").webView == "main.popup")
            #expect(Array(spy.calls.prefix(2)) == ["window link /popup", "open /popup"])
        }
        try await withWindow(engine, cancelling: "open /popup") { window, spy in
            let page = try await window.page()
            _ = try await page.value(of: "var popup = open('/popup')")
            let closed = """
                return await new Promise((end) => {
                  const check = () => popup.closed ? end(true) : setTimeout(check)
                  check()
                })
                """
            #expect(try await page.call(closed).bool == true)
            #expect(spy.calls == ["window other /popup", "open /popup"])
            #expect(!window.site.requests.contains { $0.hasPrefix("GET /popup") })
        }
    }

    @Test(arguments: engines) func documentsOfNativeCodeHaveTheirBaseURL(_ engine: BrowserEngine) async throws {
        try await withWindow(engine) { window, _ in
            let page = try await window.page()
            page.command(.loadHTML("<title>é</title>", baseURL: "https://example.test/base"))
            let own = try await window.page("https://example.test/base")
            _ = try await window.recorder.first { _ in own.readyState == "complete" }
            let shown = try await own.value(of: "document.title + origin")
            #expect(shown.string == "éhttps://example.test")
            own.command(.loadHTML("<title>Blank</title>"))
            let blank = try await window.page("about:blank")
            _ = try await window.recorder.first { _ in blank.readyState == "complete" }
            #expect(try await blank.value(of: "document.title + origin").string == "Blanknull")
        }
    }

    /// A document without a base URL is written into an empty one, which must not count as the document that has loaded.
    /// WebKit needs no such document, but tells the title of this one only after the end of its load.
    @Test(arguments: [BrowserEngine.chromium, .firefox].tried) func documentOfNativeCode_hasItsContentWhenItHasLoaded(
        _ engine: BrowserEngine
    ) async throws {
        try await withWindow(engine) { window, _ in
            let page = try await window.page()
            var titles: [String] = []
            let title: String = try await waitForValue { loaded in
                window.server.observePages { _, shown in
                    guard shown.url == "about:blank", shown.readyState == "complete" else { return }
                    titles.append(shown.title)
                    loaded.yield(shown.title)
                }
                page.command(.loadHTML("<title>Written</title><p>Hello"))
            }
            #expect(title == "Written" && Set(titles) == ["Written"])
        }
    }

    @Test(arguments: engines) func nativeCodeHasCookiesAndPictures(_ engine: BrowserEngine) async throws {
        try await withWindow(engine) { window, _ in
            let page = try await window.page()
            let cookie = BrowserCookie(name: "id", value: "7", domain: "127.0.0.1", path: "/", isHTTPOnly: true)
            _ = try await page.result(of: .setCookie(cookie))
            #expect(try await page.value(of: "document.cookie").string == "")
            page.navigate(to: window.site.url + "/two")
            let two = try await window.page("/two")
            #expect(window.site.requests.contains { $0.hasPrefix("GET /two") && $0.contains("Cookie: id=7\r\n") })
            let all = try await two.result(of: .allCookies)
            #expect(all.json.elements.contains { $0["name"]?.string == "id" && $0["httpOnly"]?.bool == true })
            _ = try await two.result(of: .deleteCookie(cookie))
            #expect(try await two.result(of: .allCookies).json.elements.isEmpty)
            let png = try await two.result(of: .snapshot(rect: [0, 0, 10, 20])).string ?? ""
            #expect(Data(base64Encoded: png)?.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
        }
    }
}

/// Keeps what a driver asks and tells, and cancels one thing.
@MainActor private final class Spy {
    var calls: [String] = [] { didSet { changed?.yield() } }
    var site = ""
    private let cancelled: String
    private var changed: AsyncStream<Void>.Continuation?

    init(_ cancelled: String) { self.cancelled = cancelled }

    func receive(_ message: DriverMessage, _ page: Page, _ reply: DriverReply) {
        let call = describe(message).replacingOccurrences(of: site, with: "")
        guard !site.isEmpty, !call.isEmpty else { return reply.decide(isAllowed: true) }
        calls.append(call)
        reply.decide(isAllowed: call != cancelled)
    }

    private func describe(_ message: DriverMessage) -> String {
        switch message {
        case .decide(let question):
            if let response = question.response {
                return "response \(response.status ?? 0) \(response.mimeType ?? "") \(question.url)"
            }
            let target = question.hasTargetFrame == false ? "window " : ""
            return "\(target)\(question.type?.rawValue ?? "") \(question.url)"
        case .started(let url): return "started \(url)"
        case .redirected(let url): return "redirected \(url)"
        case .failed(let failure):
            return "failed \(failure.domain) \(failure.code) \(failure.isProvisional) \(failure.url)"
        case .openWindow(let url): return "open \(url)"
        case .processTerminated: return "terminated"
        default: return ""
        }
    }

    func waits(until isDone: ([String]) -> Bool) async throws {
        let (changes, changed) = AsyncStream<Void>.makeStream()
        self.changed = changed
        changed.yield()
        for await _ in changes where isDone(calls) { return }
    }
}

extension Page {
    /// Sends a request to the driver, and waits for its value.
    fileprivate func result(of command: DriverCommand) async throws -> ScriptValue {
        try await withCheckedThrowingContinuation { continuation in
            self.command(command) { continuation.resume(with: $0) }
        }
    }
}
