import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// Flows with several builds of an app, in a real browser.
@Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct BinaryFlowTests {
    private static let page = """
        <!DOCTYPE html><title>Shop</title><body>
        <button data-controller="scan bridge--nfc">Scan
          the tag</button>
        <button data-controller="bridge--theme" data-controller-optout-ios="bridge--theme">Dark</button>
        <form data-controller="bridge--form"></form>
        <script>addEventListener("load", () => {
          document.body.insertAdjacentHTML("beforeend", '<p><a data-controller="bridge--share" aria-label="Share it"></a></p>')
        })</script>
        """

    /// Driven WebKit has no interface objects, so an app for Android cannot run there.
    @Test func androidInDrivenWebKit_isLeftOut() async throws {
        for engine in [BrowserEngine.chromium, .webkit] { try requireDriven(engine) }
        let folder = try TemporaryFolder()
        let flow = "name: Demo\nsteps:\n  - open: /demo/\n"
        try Data(flow.utf8).write(to: URL(fileURLWithPath: folder.path("flow.yml")))
        let outcome = try await Executable.run(
            ["test", folder.path("flow.yml"), "--in", "chromium,webkit", "--framework", "ios,android"])
        #expect(outcome.status == 0 && outcome.output.hasSuffix("3 passed. 1 was left out.\n"), "\(outcome.output)")
        #expect(outcome.errors.hasPrefix("note: 1 run with Android in driven WebKit is left out"), "\(outcome.errors)")
    }

    @Test func whatTheOlderBuildLacks_isNamed() async throws {
        try requireInstalled(.chromium)
        let web = try await StaticApp(Self.page)
        let folder = try TemporaryFolder()
        func file(_ name: String, _ text: String) throws -> String {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
            return folder.path(name)
        }
        _ = try file("paths.json", #"{"rules":[{"patterns":["/map"],"properties":{"view_controller":"map"}}]}"#)
        let old = try file(
            "app-1.0.yml",
            "framework: ios@1.2\ncomponent: [form]\nnative-screen: []\npath-configuration: paths.json\n"
                + "application-user-agent-prefix: Shop/1.0;")
        let new = try file(
            "new.yml", "name: 2.0\nframework: ios\ncomponent: [form, share, nfc, theme]\nnative-screen: [map]")
        let flow = try file(
            "f.yml", "name: Scan\nsteps:\n  - open: \(web.url)\n  - wait: document.querySelector('p a') !== null")
        let outcome = try await Executable.run(
            ["test", flow, "--in", "chromium", "--binary", "\(old),\(new)", "--keep-log", folder.path("logs")])
        let lines = outcome.output.replacing(/\d+(\.\d+)? s\)/, with: "SECONDS)").replacing("\(flow): ", with: "")
        #expect(
            lines == """
                ✓ Scan (chromium, app-1.0, SECONDS)
                    finding   The view_controller "map" is not registered in app-1.0: for /map, the app shows a web screen.
                    finding   The component "nfc" is not registered in app-1.0: the page's <button> "Scan the tag" does nothing.
                    finding   The component "share" is not registered in app-1.0: the page's <a> "Share it" does nothing.
                ✓ Scan (chromium, 2.0, SECONDS)
                2 passed.

                """, "\(outcome.errors)")
        #expect(outcome.status == 0)
        let log = try folder.lines("logs/f-chromium-app-1.0.ndjson")
        #expect(log.contains { $0["code"]?.string == "componentNotRegistered" && $0["page"]?.string != nil })
        let report = try await Executable.run(
            ["test", flow, "--in", "chromium", "--binary", old, "--reporter", "junit"])
        #expect(report.output.contains("<system-out>The view_controller &quot;map&quot; is not registered in app-1.0"))
        let tap = try await Executable.run(["test", flow, "--in", "chromium", "--binary", old, "--reporter", "tap"])
        #expect(
            tap.output.contains("(chromium, app-1.0)\n# finding: The view_controller \"map\""), "\(tap.output)")
    }
}
