import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeTesting
import EmulatedApp
import TestSupport
import Testing

/// Frames of driven browsers, whose pages they share their handlers with.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenFrameTests {
    private let pages = ["/": DrivenSite.Page(html: "<!doctype html><title>One</title><body></body>")]

    /// The promise belongs to the page that has it. Not in Firefox, which forgets a frame at once.
    @Test(arguments: [BrowserEngine.chromium, .webkit].tried) func repliesArrive_afterTheirFrameWasRemoved(
        _ engine: BrowserEngine
    ) async throws {
        var held: (() -> Void)?
        var isRemoved = false
        try await withDrivenWindow(engine, pages) { server in
            // The frame's message comes by another connection than the page's.
            server.addHandler(
                "held",
                .replying { body, _, reply in
                    if isRemoved { reply.resolve(body) } else { held = { reply.resolve(body) } }
                })
            server.addHandler(
                "plain",
                .plain { body, _ in
                    if body.string == "removed" {
                        isRemoved = true
                        held?()
                    }
                    return .handled
                })
        } _: { window in
            let page = try await window.page()
            let value = try await page.call(
                """
                const frame = document.createElement("iframe")
                document.body.append(frame)
                const { held, plain } = frame.contentWindow.webkit.messageHandlers
                const outcomes = [held.postMessage({ a: [1] }), plain.postMessage(2)]
                frame.remove()
                webkit.messageHandlers.plain.postMessage("removed")
                const [reply, handled] = await Promise.all(outcomes)
                return [reply.a[0], handled === undefined]
                """)
            #expect(value.text == "[1,true]")
        }
    }

    /// Two servers on one machine, as in development. Chromium asks the user before a page may show one in a frame that it
    /// takes for nearer than its own.
    @Test(arguments: [BrowserEngine.chromium, .firefox].tried) func frameOfTheMachinesOtherName_loads(
        _ engine: BrowserEngine
    ) async throws {
        let foreign = try DrivenSite(["/child": .init(html: "<!doctype html><title>Child</title>")])
        let child = foreign.url.replacing("127.0.0.1", with: "localhost") + "/child"
        let html = "<!doctype html><title>One</title><iframe src='\(child)'></iframe>"
        try await withDrivenWindow(engine, ["/": .init(html: html)]) { window in
            _ = try await window.page()
            let page = try await window.page(child)
            #expect(try await page.call("return document.title").string == "Child")
        }
    }

    /// hotwire-native-ios takes only the main frame's load of another host for a redirect of its cold boot.
    @Test(arguments: BrowserEngine.allCases.tried) func frameOfAnotherHost_isNoRedirectOfTheVisit(
        _ engine: BrowserEngine
    ) async throws {
        try requireDriven(engine)
        let foreign = try DrivenSite(["/child": .init(html: "<!doctype html><title>Child</title>")])
        let child = foreign.url.replacing("127.0.0.1", with: "localhost") + "/child"
        let site = try DrivenSite([
            "/": .init(html: "<!doctype html><title>One</title><iframe src='\(child)'></iframe>")
        ])
        try await withBridgedApp(driving: engine) { app in
            try await app.open(site.url + "/")
            let state = JSONValue.object(try #require(app.emulatedApp).state)
            #expect(state["main"]?.elements?.compactMap { $0["url"]?.string } == [site.url + "/"])
            #expect(state["outbox"]?.elements == [])
        }
    }
}
