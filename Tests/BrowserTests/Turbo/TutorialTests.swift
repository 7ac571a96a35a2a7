import BridgeTesting
import Foundation
import TestSupport
import Testing

/// Examples/flows/tutorial.yml, as its first lines say to run it, on free ports.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3))) struct TutorialTests {
    @Test(arguments: [Browser.Engine.chromium, .firefox])
    func tutorialPasses(_ engine: Browser.Engine) async throws {
        guard engine.executable != nil else { throw try skipped(Browser.Missing(engine: engine)) }
        let port = try ListeningSocket().port
        let web = try await WebApp(.turbo, bridge: "http://localhost:\(port)/bridge.js")
        let flow = WebApp.root.appending(path: "Examples/flows/tutorial.yml")
        let folder = try TemporaryFolder()
        let path = folder.path("tutorial.yml")
        try String(decoding: Data(contentsOf: flow), as: UTF8.self)
            .replacing("http://localhost:4567", with: web.url)
            .write(toFile: path, atomically: true, encoding: .utf8)
        let outcome = try await Executable.run([
            "test", path, "--port", "\(port)", "--browser", engine.rawValue, "--path-configuration",
            WebApp.root.appending(path: "Examples/TurboApp/path-configuration.json").path, "--sign-in-url", "/session",
            "--push-token", "c0ffee",
        ])
        #expect(outcome.output.hasSuffix("1 passed.\n") && outcome.status == 0, "\(outcome.output)")
    }
}
