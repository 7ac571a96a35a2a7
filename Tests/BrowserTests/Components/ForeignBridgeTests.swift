import BridgeTesting
import EmulatedApp
import PathConfiguration
import Testing

/// Runs adapters for bridge components that behave as those of Hotwire Native do, in place of web/components.js.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct ForeignBridgeTests {
    /// It announces itself at document start, and gets objects.
    private static let ios = adapter(
        platform: "ios", ready: #"webkit.messageHandlers.bridge.postMessage("ready")"#,
        receive: "webkit.messageHandlers.bridge.postMessage(message)", replied: "message", start: "start()")

    /// It announces itself when the document is parsed, and gets JSON text.
    private static let android = adapter(
        platform: "android", ready: "BridgeComponentsNative.bridgeDidInitialize()",
        receive: "BridgeComponentsNative.bridgeDidReceiveMessage(JSON.stringify(message))",
        replied: "JSON.parse(message)", start: #"document.addEventListener("DOMContentLoaded", start)"#)

    private static func adapter(
        platform: String, ready: String, receive: String, replied: String, start: String
    ) -> String {
        """
        ;(() => {
          let names = [], isServing = false
          const web = () => (window.HotwireNative ?? window.Strada)?.web
          const adapter = {
            platform: "\(platform)",
            get supportedComponents() { return names },
            supportsComponent: (name) => names.includes(name),
            register(added) {
              names = names.concat(added)
              adapter.serve()
            },
            serve() {
              if (!names.length || !web() || isServing) return
              isServing = true
              web().setAdapter(adapter)
            },
            receive: (message) => { \(receive) },
            replyWith: (message) => web().receive(\(replied)),
          }
          const start = () => {
            window.nativeBridge = adapter
            document.addEventListener("web-bridge:ready", adapter.serve)
            \(ready)
          }
          \(start)
        })()
        """
    }

    @Test(arguments: [Platform.ios, .android])
    func componentsWork_withAForeignAdapter(_ platform: Platform) async throws {
        let early = #"ask("form", "connect", { submitTitle: "Save" })"#
        let adapter = platform == .ios ? Self.ios : Self.android
        try await ComponentFixture.run(.chromium, .hotwire, early, platform: platform, adapter: adapter) { fixture in
            try await fixture.arrival("form", "connect")
            #expect(try await fixture.app.evaluate("nativeBridge.platform") == (platform == .ios ? "ios" : "android"))
            try fixture.perform("form.submit")
            #expect(try await fixture.answers(1) == [#"form connect {"submitTitle":"Save"}"#])
        }
    }
}
