import BridgeTesting
import TestSupport
import Testing

/// Servers see the user agent of the emulated app, as `hotwire_native_app?` in Rails needs it.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct PhoneUserAgentTests {
    /// A worker has the browser's own user agent, which requests have, too: bridge.js does not run there.
    private static let script = """
        return await new Promise((resolve) => {
          const script = new Blob(["postMessage(navigator.userAgent)"])
          new Worker(URL.createObjectURL(script)).onmessage = ({ data }) => resolve(data)
        })
        """

    @Test(arguments: Browser.Engine.allCases.tried)
    func requestsNameTheApp(_ engine: Browser.Engine) async throws {
        do {
            try await withBridgedApp(in: engine) { app in
                let site = try await StaticApp("<script src=\"\(app.address.url)bridge.js\"></script>")
                try await app.open(site.url)
                let agent = try await app.callAsync(Self.script) as String
                #expect(agent.contains("Hotwire Native iOS; Turbo Native iOS; bridge-components: ["))
                #expect(try await app.evaluate("navigator.userAgent") == agent)
            }
        } catch let missing as Browser.Missing {
            throw try skipped(missing)
        }
    }
}
