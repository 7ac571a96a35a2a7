import BridgeBrowsers
import BridgeServer
import TestSupport
import Testing

/// What pages of driven browsers post when they are left.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenDepartureTests {
    private static let page = DrivenSite.Page(
        html: """
            <!doctype html><title>One</title><script>
              addEventListener("pagehide", () => webkit.messageHandlers.plain.postMessage(`left ${location.hostname}`))
            </script>
            """)

    @Test(arguments: BrowserEngine.allCases.tried) func lastMessagesArrive_ifTheNextPageIsOfAnotherSite(
        _ engine: BrowserEngine
    ) async throws {
        try await withDrivenWindow(engine, ["/": Self.page, "/two": Self.page]) { server in
            server.addHandler("plain", .plain { _, _ in .handled })
        } _: { window in
            let other = window.site.url.replacing("127.0.0.1", with: "localhost") + "/two"
            _ = try await window.page().value(of: "location.href = '\(other)'; 0")
            let two = try await window.page(other)
            #expect(try await window.messages(to: "plain", count: 1).last?.string == "left 127.0.0.1")
            two.navigate(.url(window.site.url + "/"))
            #expect(try await window.messages(to: "plain", count: 2).last?.string == "left localhost")
        }
    }
}
