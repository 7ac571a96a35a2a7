import BridgeProtocol
import BridgeServer
import BridgeTesting
import EmulatedApp
import Foundation
import TestSupport
import Testing

/// Tests the main path: real pages in real browsers post messages and get evaluations.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct BrowserTests {
    @Test(arguments: Browser.Engine.allCases.tried)
    func deliversBothMessages_andSendsTheTokenBack(_ engine: Browser.Engine) async throws {
        try await withDemo(in: engine) { demo in
            // head.js, the page's first script, posts this message before the socket is open.
            let button = try await demo.message("ActionButton")
            #expect(button.outcome == .handled)
            #expect(demo.app.actionButtons["main"]?.url == "\(demo.address.url)customers/new")
            let page = try #require(demo.server.pages.first)
            try await page.evaluate("document.getElementById('register-push-token').click()")
            #expect(try await demo.message("RegisterPushToken").outcome == .handled)
            // The page POSTs the token to its server and shows the server's answer.
            try await demo.wait(page, for: "document.getElementById('token').textContent == '\(demo.app.pushToken)'")
            #expect(demo.address.url == page.frame.origin + "/")
        }
    }

    @Test(arguments: Browser.Engine.allCases.tried)
    func evaluation_returnsTheValueOrTheException(_ engine: Browser.Engine) async throws {
        try await withDemo(in: engine) { demo in
            let page = try await demo.attached()
            try await demo.wait(page, for: "window.bridge")
            let greeting = try await page.evaluate("window.bridge.sayHello()").decode(String.self)
            #expect(greeting.hasPrefix("Hello"))
            let error = await #expect(throws: ScriptError.self) { try await page.evaluate("\n  missingFunction()") }
            guard case .exception(let exception) = error else { throw UnexpectedError(error: error) }
            #expect(exception.name == "ReferenceError" && exception.line == 2)
        }
    }

    @Test(arguments: Browser.Engine.allCases.tried)
    func reportsProblems_ofMessagesThatFail(_ engine: Browser.Engine) async throws {
        try await withDemo(in: engine) { demo in
            let page = try await demo.attached()
            // The page attaches in its head, before the document is complete.
            try await demo.wait(page, for: "document.readyState === 'complete'")
            for button in ["unknown-message", "undecodable", "throw"] {
                try await page.evaluate("document.getElementById('\(button)').click()")
            }
            #expect(try await demo.recorder.problem("unknownName").text.contains("OpenTheDoor"))
            let undecodable = try await demo.recorder.problem("undecodable")
            #expect(undecodable.text.contains("/path") || undecodable.text.contains("/icon"))
            _ = try await demo.recorder.first {
                if case .console(let entry) = $0.event {
                    entry.kind == .exception && entry.text.contains("demo page")
                } else {
                    false
                }
            }
        }
    }

    @Test(arguments: Browser.Engine.allCases.tried)
    func pageReconnects_afterTheDaemonRestarts(_ engine: Browser.Engine) async throws {
        var port: UInt16 = 0
        var browser: Browser?
        try await withDemo(in: engine) { demo in
            port = demo.address.port
            browser = demo.browser
            _ = try await demo.attached()
        }
        // The daemon has stopped. The page stays open and posts messages that no daemon receives yet.
        try await withServer {
            $0.port = port
        } _: { server, _ in
            let emulatedApp = try EmulatedApp(server: server)
            let recorder = Recorder(server)
            _ = try await recorder.first { if case .page(.attached) = $0.event { true } else { false } }
            let page = try #require(server.pages.first)
            try await page.evaluate("document.getElementById('register-push-token').click()")
            let record = try await recorder.first {
                if case .message(_, "RegisterPushToken", _, _, _) = $0.event { true } else { false }
            }
            guard case .message(_, _, _, let seq, _) = record.event else { return }
            #expect(seq >= 2, "the page continues its sequence numbers with the new daemon")
            _ = emulatedApp
        }
        browser?.close()
    }

    @Test(arguments: Browser.Engine.allCases.tried)
    func scriptTag_attachesPageOfAnotherLocalOrigin(_ engine: Browser.Engine) async throws {
        try await withServer { server, address in
            let emulatedApp = try EmulatedApp(server: server)
            let recorder = Recorder(server)
            let app = try await StaticApp(
                """
                <!doctype html><html><head><script src="\(address.url)bridge.js"></script>
                <script>webkit.messageHandlers.nativeApp.postMessage({name: "ActionButton", path: "/x", icon: "plus"})</script>
                </head><body>An app of its own</body></html>
                """)
            let browser = try launch(engine, app.url)
            _ = try await recorder.first {
                if case .message(_, "ActionButton", _, _, _) = $0.event { true } else { false }
            }
            #expect(emulatedApp.actionButtons["main"]?.url == "\(app.url)x")
            browser.close()
        }
    }

    /// The executable's event loop is its main thread, which is not possible inside a test.
    @Test(arguments: Browser.Engine.allCases.tried)
    func executableDeliversMessages(_ engine: Browser.Engine) async throws {
        let daemon = try RunningDaemon("--port", "0", "--json", "--push-token", "a-token")
        var lines = daemon.lines.makeAsyncIterator()
        let listening = try JSON.parse(try #require(await lines.next()))
        let url = try #require(listening["url"]?.string)
        let app = try await StaticApp(
            """
            <!doctype html><html><head><script src="\(url)bridge.js"></script><script>
            const post = (body) => webkit.messageHandlers.nativeApp.postMessage(body)
            window.bridge = { register: (token) => { post({name: "ActionButton", path: "/" + token, icon: "bell"}) } }
            post({name: "RegisterPushToken"})
            </script></head><body>An app of its own</body></html>
            """)
        let browser = try launch(engine, app.url)
        while let line = await lines.next() {
            let record = try JSON.parse(line)
            guard record["event"]?.string == "actionButton" else { continue }
            #expect(record["opens"]?.string == "\(app.url)a-token")
            break
        }
        browser.close()
    }
}
