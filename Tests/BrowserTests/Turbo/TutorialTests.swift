import BridgeTesting
import Foundation
import TestSupport
import Testing

/// The flows against Examples/TurboApp, as their first lines say to run them, on free ports.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3))) struct TutorialTests {
    @Test(arguments: [Browser.Engine.chromium, .firefox])
    func tutorialPasses(_ engine: Browser.Engine) async throws {
        try await passes("tutorial.yml", engine, ["--sign-in-url", "/session", "--push-token", "c0ffee"])
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox])
    func tabsPass(_ engine: Browser.Engine) async throws {
        try await passes("tabs.yml", engine, ["--tab", "Home=/", "--tab", "Posts=/posts"])
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox])
    func componentsPass(_ engine: Browser.Engine) async throws {
        try await passes("components.yml", engine, [])
    }

    private func passes(_ name: String, _ engine: Browser.Engine, _ options: [String]) async throws {
        guard engine.executable != nil else { throw try skipped(Browser.Missing(engine: engine)) }
        let port = try ListeningSocket().port
        let web = try await WebApp(.turbo, bridge: "http://localhost:\(port)/bridge.js")
        let flow = WebApp.root.appending(path: "Examples/flows/\(name)")
        let folder = try TemporaryFolder()
        let path = folder.path(name)
        try String(decoding: Data(contentsOf: flow), as: UTF8.self)
            .replacing("http://localhost:4567", with: web.url)
            .write(toFile: path, atomically: true, encoding: .utf8)
        let rules = WebApp.root.appending(path: "Examples/TurboApp/path-configuration.json").path
        let outcome = try await Executable.run(
            ["test", path, "--port", "\(port)", "--browser", engine.rawValue, "--path-configuration", rules] + options)
        #expect(outcome.output.hasSuffix("1 passed.\n") && outcome.status == 0, "\(outcome.output)")
    }
}
