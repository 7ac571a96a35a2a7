import BridgeBrowsers
import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// Runs the flows of Examples/ in driven browsers, against the app as Rails serves it in production: without a script
/// tag for bridged, with `script-src 'self'`, `frame-ancestors 'none'`, `X-Frame-Options: DENY` and an HttpOnly session.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct StrictAppTests {
    @Test(arguments: BrowserEngine.allCases.tried)
    func tutorialPasses(_ engine: BrowserEngine) async throws {
        try await expectToPass("tutorial.yml", engine, ["--sign-in-url", "/session", "--push-token", "c0ffee"])
    }

    @Test(.needs(.turbo8), arguments: BrowserEngine.allCases.tried)
    func flowsPass_withTurbo8(_ engine: BrowserEngine) async throws {
        try await expectToPass(
            "tutorial.yml", library: .turbo8, engine, ["--sign-in-url", "/session", "--push-token", "c0ffee"])
        try await expectToPass("components.yml", library: .turbo8, engine)
    }

    @Test(arguments: BrowserEngine.allCases.tried)
    func componentsAndTabsPass(_ engine: BrowserEngine) async throws {
        try await expectToPass("components.yml", engine)
        try await expectToPass("tabs.yml", engine, ["--tab", "Home=/", "--tab", "Posts=/posts"])
    }

    /// The driver asks before the browser follows a redirect to another host.
    @Test(arguments: BrowserEngine.allCases.tried)
    func coldBootsRedirectToAnotherHost_leavesTheApp(_ engine: BrowserEngine) async throws {
        let steps = """
            steps:
              - open: http://localhost:4567/
              - expect app: {title: Home, isLoading: false}
              - perform: {action: relaunch, url: /away}
              - expect app: {outbox: [{url: "http://elsewhere.example/"}], main: [{error: {error: web, errorCode: 102}}]}
              - perform: {action: visit, url: /posts}
              - expect app: {title: Posts, isLoading: false}
            """
        try await expectToPass("redirect.yml", text: steps, engine, ["--framework", "ios"])
    }

    private func expectToPass(
        _ name: String, text: String? = nil, library: WebApp.Library = .turbo, _ engine: BrowserEngine,
        _ options: [String] = []
    ) async throws {
        try requireDriven(engine)
        let web = try await WebApp(library)
        let folder = try TemporaryFolder()
        let flow = try text ?? String(contentsOf: Repository.file("Examples/flows/\(name)"), encoding: .utf8)
        try flow.replacing("http://localhost:4567", with: web.url)
            .write(toFile: folder.path(name), atomically: true, encoding: .utf8)
        let rules = Repository.file("Examples/TurboApp/path-configuration.json").path
        let outcome = try await Executable.run(
            ["test", folder.path(name), "--port", "0", "--in", engine.rawValue, "--path-configuration", rules]
                + options)
        #expect(outcome.output.hasSuffix("1 passed.\n") && outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }
}
