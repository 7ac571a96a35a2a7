import BridgeTesting
import TestSupport
import Testing

/// A page without the script tag fails a test as soon as it is there.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct MissingScriptTests {
    @Test(arguments: Browser.Engine.allCases.tried)
    func open_saysThatThePageHasNoTag(_ engine: Browser.Engine) async throws {
        do {
            try await withBridgedApp(in: engine) { app in
                let site = try await StaticApp("<!DOCTYPE html><title>Plain</title><p>No tag here.")
                // The browser starts with the page, and later it replaces another page.
                for first in [nil, "/demo/"] {
                    if let first { try await app.open(first) }
                    let failure = await #expect(throws: BridgedAppFailure.self) {
                        try await app.open(site.url, within: .seconds(90))
                    }
                    let text = failure?.description ?? ""
                    #expect(
                        text.contains(
                            """
                            no request for bridge.js came from \(site.url). Put this line first into its <head>: \
                            <script src="\(app.address.url)bridge.js"></script>
                            """), "\(text)")
                }
                let tagged = try await StaticApp(
                    "<title>Tag</title><script src=\"\(app.address.url)bridge.js\"></script>")
                try await app.open(tagged.url)
                let page =
                    try await app.evaluate("`${document.title} ${history.length} ${document.referrer}`") as String
                #expect(page == "Tag 1 ")
            }
        } catch let missing as Browser.Missing {
            throw try skipped(missing)
        }
    }

    @Test(arguments: Browser.Engine.allCases.tried)
    func open_saysThatThePolicyForbidsTheConnection(_ engine: Browser.Engine) async throws {
        do {
            try await withBridgedApp(in: engine) { app in
                let policy = "<meta http-equiv=Content-Security-Policy content=\"connect-src 'none'\">"
                let site = try await StaticApp(
                    "<title>Strict</title>\(policy)<script src=\"\(app.address.url)bridge.js\"></script>")
                let failure = await #expect(throws: BridgedAppFailure.self) {
                    try await app.open(site.url, within: .seconds(90))
                }
                let text = failure?.description ?? ""
                #expect(
                    text.contains("; the Content-Security-Policy of \(site.url) forbids the connection"), "\(text)")
            }
        } catch let missing as Browser.Missing {
            throw try skipped(missing)
        }
    }
}
