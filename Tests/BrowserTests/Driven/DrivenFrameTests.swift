import BridgeBrowsers
import BridgeServer
import TestSupport
import Testing

/// Frames of driven browsers, whose pages they share their handlers with.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenFrameTests {
    private let pages = ["/": DrivenSite.Page(html: "<!doctype html><title>One</title><body></body>")]

    /// The promise belongs to the page that has it. Not in Firefox, which forgets a frame at once.
    @Test(arguments: [BrowserEngine.chromium, .webkit]) func repliesArrive_afterTheirFrameWasRemoved(
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
}
