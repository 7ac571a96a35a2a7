import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// The inspector in windows of three sizes and in both themes: nothing is cut, nothing overlaps, no word of a table is
/// broken, and every text can be read.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct InspectorLayoutTests {
    /// Nil is the size of the browser's own window.
    @Test(arguments: [BrowserEngine.chromium, .firefox].tried, ["iPhone SE", "iPad", nil])
    func everyPanelFits(_ engine: BrowserEngine, _ device: String?) async throws {
        let phone = device.flatMap(Device.init(named:))
        let arguments = device == nil && engine == .chromium ? ["--window-size=1440,900"] : []
        let web = try await WebApp(.turbo)
        try await withBridgedApp(driving: .chromium) { app in
            try await app.open(web.url + "/components")
            try await app.run(
                "console.log('A line'); webkit.messageHandlers.bridge.postMessage('A message'); undefined")
            let pages = ["/": DrivenSite.Page(html: "<!doctype html>")]
            try await withDrivenWindow(engine, pages, device: phone, arguments: arguments) { window in
                let inspector = "http://localhost:\(app.address.port)/inspector/"
                try await window.page().navigate(to: "\(inspector)#token=\(app.server.token)")
                let problems = try await window.page(inspector).call(Self.check)
                #expect(problems.text == "[]")
            }
        }
    }

    private static let check: String = {
        let file = Repository.file("Tests/web/inspector-layout.js")
        return (try? String(contentsOf: file, encoding: .utf8)) ?? "throw new Error('inspector-layout.js is missing')"
    }()
}
