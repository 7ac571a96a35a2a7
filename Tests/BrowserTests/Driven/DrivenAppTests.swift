import BridgeBrowsers
import BridgeProtocol
import BridgeTesting
import EmulatedApp
import Foundation
import PathConfiguration
import TestSupport
import Testing

/// The emulated app in browsers that bridged drives.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenEmulatedAppTests {
    private static func page(_ title: String) -> DrivenSite.Page {
        .init(html: "<!doctype html><title>\(title)</title><a id=new href=/new>New</a>")
    }

    @Test(arguments: [BrowserEngine.chromium, .firefox, .webkit])
    func modalHasAWindowOfItsOwn(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let site = try DrivenSite(["/": Self.page("Start"), "/new": Self.page("New")])
        let rules = #"{"rules":[{"patterns":["/new$"],"properties":{"context":"modal"}}]}"#
        var configuration = EmulatedApp.Configuration()
        configuration.pathConfiguration = PathConfiguration(sources: [.data(Data(rules.utf8))])
        try await withBridgedApp(driving: engine, app: configuration) { app in
            try await app.open(site.url)
            try await app.run("document.cookie = 'a=1'")
            let url = try #require(URL(string: "\(site.url)/new"))
            app.emulatedApp?.route(url)
            try await app.wait(until: "document.title === 'New'", within: .seconds(20))
            #expect(try app.page().webView == "modal")
            #expect(try await app.evaluate("document.cookie") as String == "a=1")
            #expect(app.server.mainPage(of: "main")?.url == site.url + "/")
            try app.emulatedApp?.perform("dismissModal")
            #expect(try await app.evaluate("document.title") as String == "Start")
        }
    }
}
