import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

@testable import BridgeBrowsers

/// What Chromium tells its driver, in an order in which it seldom does.
@MainActor @Suite(.timeLimit(.minutes(2))) struct ChromiumTargetTests {
    private let decisions = Decisions()

    /// - Parameter body: gets a Chromium that does nothing. The test says what happens in it.
    private func withChromium(
        _ body: @MainActor (DriverFixture, ChromiumBrowser) async throws -> Void
    ) async throws {
        try await withDriver { driver in
            driver.server.defaultScope.driverHandler = { [decisions] in decisions.receive($0, $2) }
            let folder = try TemporaryFolder()
            let program = folder.path("chromium")
            try Data("#!/bin/sh\nexec sleep 600\n".utf8).write(to: URL(fileURLWithPath: program))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
            let browser = try ChromiumBrowser(URL(fileURLWithPath: program), LaunchOptions())
            defer { browser.close() }
            try await body(driver, browser)
            withExtendedLifetime(folder) {}
        }
    }

    /// A window whose main frame shows a page.
    private func targetWithPage(_ driver: DriverFixture, _ browser: ChromiumBrowser) async throws -> ChromiumTarget {
        let target = ChromiumTarget(session: "s", browser: browser)
        target.begin(try await driver.webView())
        try browser.identify("main")
        try target.showDocument(1, "main")
        target.worlds[1]?.introduce()
        return target
    }

    @Test func nativeCodeIsAskedAboutALoadBetweenTwoPages() async throws {
        try await withChromium { driver, browser in
            let target = try await targetWithPage(driver, browser)
            try target.event("Runtime.executionContextsCleared")
            try target.requestPaused(#""request":{"url":"http://localhost:3000/gap"}"#, "child")
            try target.showDocument(2, "main")
            target.worlds[2]?.introduce()
            #expect(try await decisions.next() == "decide http://localhost:3000/gap frame")
        }
    }

    /// Chromium goes on to load a download in a `data:` URL, and a document in one in a child frame.
    @Test func nativeCodeIsAskedOnlyAboutTheDataURLThatChromiumBlocks() async throws {
        try await withChromium { driver, browser in
            let target = try await targetWithPage(driver, browser)
            for (frame, url, isBlocked) in [
                ("main", "data:application/zip,1", false), ("child", "data:text/html,2", true),
                ("main", "data:text/html,3", true),
            ] {
                let members = #""frameId":"\#(frame)","reason":"anchorClick","url":"\#(url)""#
                try target.event("Page.frameScheduledNavigation", members)
                if !isBlocked { try target.event("Page.frameRequestedNavigation", members) }
                try target.event("Page.frameClearedScheduledNavigation", members)
            }
            #expect(try await decisions.next() == "decide data:text/html,3 main")
        }
    }

    /// Chromium tells of a content world before the document to which it belongs, and then gives both up.
    @Test(arguments: [
        ("Runtime.executionContextDestroyed", #""executionContextId":7"#),
        ("Page.frameDetached", #""frameId":"child""#),
    ])
    func contentWorldThatHasGone_belongsToNoDocument(_ method: String, _ params: String) async throws {
        try await withChromium { driver, browser in
            let target = try await targetWithPage(driver, browser)
            try target.event(
                "Runtime.executionContextCreated",
                #""context":{"id":7,"name":"w","auxData":{"type":"isolated","frameId":"child"}}"#)
            try target.event(method, params)
            try target.showDocument(2, "child")
            #expect(target.worlds[2] != nil && target.worlds[7] == nil)
        }
    }

    @Test func loadThatAWindowBeginsWith_isTheDriversOwn() async throws {
        try await withChromium { driver, browser in
            let target = ChromiumTarget(session: "s", browser: browser)
            target.begin(try await driver.webView(), loads: true)
            try browser.identify("main")
            try target.showDocument(1, "main")
            #expect(!target.loads.expectsPage)
            try target.event("Page.frameNavigated", #""frame":{"id":"main","url":"http://localhost:3000/"}"#)
            #expect(target.loads.expectsPage)
            try target.event("Inspector.targetCrashed")
            #expect(!target.loads.expectsPage)
        }
    }

    /// The page of the window is in an endless loop.
    @Test func loadBegins_ifItsWindowConfirmsNoScripts() async throws {
        try await withChromium { driver, browser in
            let target = ChromiumTarget(session: "s", browser: browser)
            target.scripts.patience = .milliseconds(50)
            target.begin(try await driver.webView())
            var hasBegun = false
            target.scripts.whenInstalled { hasBegun = true }
            #expect(!hasBegun)
            try await waitUntil { hasBegun }
        }
    }

    @Test func nativeCodeIsAskedAboutTheFirstResponseOfAWindow() async throws {
        try await withChromium { driver, browser in
            let (opener, window) = (
                ChromiumTarget(session: "s", browser: browser), ChromiumTarget(session: "w", browser: browser)
            )
            let webView = try await driver.webView()
            opener.begin(webView)
            try browser.identify("main")
            try opener.showDocument(1, "main")
            opener.worlds[1]?.introduce()
            window.begin(webView.makePopup(), openedBy: opener)
            try browser.identify("window")
            try window.requestPaused(
                #""responseStatusCode":200,"request":{"url":"http://localhost:3000/window"}"#, "window")
            try window.showDocument(1, "window")
            window.worlds[1]?.introduce()
            #expect(try await decisions.next() == "response http://localhost:3000/window main")
        }
    }

    @Test func windowWithoutAPageToAsk_doesNotGiveItsURLToTheNext() async throws {
        try await withChromium { driver, browser in
            try browser.attached("s", #""targetId":"main""#)
            try await browser.open(nil, in: try await driver.webView())
            try browser.identify("main")
            let opener = try #require(browser.targets["s"])
            try opener.event("Page.windowOpen", #""url":"http://localhost:3000/first""#)
            try browser.attached("first", #""targetId":"first","openerId":"main""#)
            try opener.showDocument(1, "main")
            opener.worlds[1]?.introduce()
            try opener.event("Page.windowOpen", #""url":"http://localhost:3000/second""#)
            try browser.attached("second", #""targetId":"second","openerId":"main""#)
            #expect(try await decisions.next() == "decide http://localhost:3000/second main")
        }
    }

    /// Chromium leaves out `networkId` for requests that its domain `Network` does not know.
    @Test func cutOfARequestWithoutAnID_isNotThatOfAnother() async throws {
        try await withChromium { driver, browser in
            let webView = try await driver.webView()
            let fault = RequestFault(id: "f1", Fault(url: URLPattern("*"), kind: .cut))
            webView.settings = webView.settings.changed(by: WebViewSettings(faults: [fault]))
            let target = ChromiumTarget(session: "s", browser: browser)
            target.begin(webView)
            target.network.proceed(try JSON.parse(#"{"requestId":"i","request":{"url":"http://localhost/"}}"#))
            #expect(target.network.cut.isEmpty)
            target.network.proceed(
                try JSON.parse(#"{"requestId":"i","networkId":"n","request":{"url":"http://localhost/"}}"#))
            #expect(target.network.cut == ["n"])
        }
    }
}

/// What native code was asked. It refuses everything.
@MainActor private final class Decisions {
    private let (list, continuation) = AsyncStream.makeStream(of: String.self)

    func receive(_ message: DriverMessage, _ reply: DriverReply) {
        switch message {
        case .decide(let question):
            let what = question.response == nil ? "decide" : "response"
            continuation.yield("\(what) \(question.url) \(question.isMainFrame ? "main" : "frame")")
        case .openWindow(let url): continuation.yield("window \(url)")
        default: return
        }
        reply.decide(isAllowed: false)
    }

    func next() async throws -> String {
        for await text in list { return text }
        throw CancellationError()
    }
}

extension ChromiumBrowser {
    /// Answers the commands that have no answer with the window's main frame.
    fileprivate func identify(_ frame: String) throws {
        for id in 1...500 {
            let answer = #"{"id":\#(id),"result":{"frameTree":{"frame":{"id":"\#(frame)"}}}}"#
            _ = pipe.commands.receive(try JSON.parse(answer))
        }
    }

    fileprivate func attached(_ session: String, _ info: String) throws {
        let params = try JSON.parse(#"{"sessionId":"\#(session)","targetInfo":{"type":"page",\#(info)}}"#)
        pipe.onEvent(BrowserEvent(method: "Target.attachedToTarget", params: params, session: ""))
    }
}

extension ChromiumTarget {
    fileprivate func event(_ method: String, _ params: String = "") throws {
        handle(BrowserEvent(method: method, params: try JSON.parse("{\(params)}"), session: self.session.id))
    }

    /// A frame gets a global object.
    fileprivate func showDocument(_ context: Int, _ frame: String) throws {
        try event(
            "Runtime.executionContextCreated",
            #""context":{"id":\#(context),"uniqueId":"u\#(context)","origin":"http://localhost:3000","#
                + #""auxData":{"isDefault":true,"frameId":"\#(frame)"}}"#)
    }

    fileprivate func requestPaused(_ params: String, _ frame: String) throws {
        try event(
            "Fetch.requestPaused", #""requestId":"i","resourceType":"Document","frameId":"\#(frame)",\#(params)"#)
    }
}

extension ScriptWorld {
    fileprivate func introduce() {
        receive(
            #"document {"frame":{"url":"http://localhost:3000/","origin":"http://localhost:3000","isMainFrame":true}}"#)
    }
}
