import BridgeServer
import TestSupport
import Testing

@testable import BridgeBrowsers

/// The emulated app for Android registers `TurboSession`, an interface object, and driven WebKit has none.
@MainActor @Suite(.timeLimit(.minutes(1))) struct AndroidInWebKitTests {
    @Test(arguments: BrowserEngine.allCases)
    func webViewOfAndroid_isRefused_inWebKitOnly(_ engine: BrowserEngine) async throws {
        try await withDriver { fixture in
            fixture.server.addJavascriptInterface(JavascriptInterface(), name: "TurboSession")
            guard engine == .webkit else {
                let webView = try await fixture.webView(engine)
                return #expect(webView.settings.interfaces.map(\.name) == ["TurboSession"])
            }
            let refusal = try await #require(throws: BrowserError.self) { _ = try await fixture.webView(engine) }
            #expect("\(refusal)".contains("no app for Android runs in it. Use Chromium or Firefox."))
        }
    }

    /// A page for iOS need not use the objects that the same settings declare.
    @Test func otherObjects_areNoReason() async throws {
        try await withDriver { fixture in
            fixture.server.addJavascriptInterface(JavascriptInterface(), name: "Device")
            _ = try await fixture.webView(.webkit)
        }
    }
}
