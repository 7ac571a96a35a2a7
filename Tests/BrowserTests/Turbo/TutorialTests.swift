import BridgeTesting
import Foundation
import TestSupport
import Testing

/// Runs the flows against Examples/TurboApp as their first lines say, but on free ports.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct TutorialTests {
    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func tutorialPasses_onBothPlatforms(_ engine: Browser.Engine) async throws {
        let outcome = try await run(
            "tutorial.yml", engine,
            ["--sign-in-url", "/session", "--push-token", "c0ffee", "--framework", "ios,android"])
        #expect(outcome.output.hasSuffix("2 passed.\n") && outcome.status == 0, "\(outcome.output)")
    }

    @Test(.needs(.turbo8), arguments: [Browser.Engine.chromium, .firefox].tried)
    func flowsPass_withTurbo8(_ engine: Browser.Engine) async throws {
        let tutorial = try await run(
            "tutorial.yml", library: .turbo8, engine,
            ["--sign-in-url", "/session", "--push-token", "c0ffee", "--framework", "ios,android"])
        #expect(tutorial.output.hasSuffix("2 passed.\n") && tutorial.status == 0, "\(tutorial.output)")
        let components = try await run("components.yml", library: .turbo8, engine, ["--framework", "ios,android"])
        #expect(components.output.hasSuffix("2 passed.\n") && components.status == 0, "\(components.output)")
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func tabsPass(_ engine: Browser.Engine) async throws {
        let outcome = try await run("tabs.yml", engine, ["--tab", "Home=/", "--tab", "Posts=/posts"])
        #expect(outcome.output.hasSuffix("1 passed.\n") && outcome.status == 0, "\(outcome.output)")
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func componentsPass_onBothPlatforms(_ engine: Browser.Engine) async throws {
        let outcome = try await run("components.yml", engine, ["--framework", "ios,android"])
        #expect(outcome.output.hasSuffix("2 passed.\n") && outcome.status == 0, "\(outcome.output)")
    }

    /// The app starts at `/` in every release, and shows each kind of screen.
    @Test(arguments: [
        ("ios", "ios@1.2,ios@1.3-beta,ios@1.3"), ("android", "android@1.3"), ("turbo-ios", "strada-ios@1.0"),
    ])
    func officialDemoPasses_inEachRelease(_ rules: String, _ frameworks: String) async throws {
        let outcome = try await run(
            "official.yml", demo: rules, .chromium, ["--sign-in-path", "/signin", "--framework", frameworks])
        #expect(outcome.output.contains(" passed.\n") && outcome.status == 0, "\(outcome.output)")
    }

    /// Tests a difference that the frameworks themselves have.
    @Test func reportsDifferencesBetweenFrameworks() async throws {
        let outcome = try await run("platforms.yml", .chromium, ["--framework", "ios,android"])
        #expect(outcome.status == 1)
        #expect(
            outcome.output.contains(
                """
                ≠ FLOW: Pull to refresh (chromium+tag)
                    step 3, FLOW:11: perform pullToRefresh
                      ios@1.3      passes   main: /
                      android@1.3  fails: expected pullToRefresh to succeed; found pull_to_refresh_enabled is false for /.   main: /
                1 of 2 failed.

                """), "\(outcome.output)")
    }

    /// A redirect pops a screen in one release only. The flow names the releases itself.
    @Test func showsWhereTheStacksPart() async throws {
        let steps = """
            framework: [ios@1.2, ios@1.3-beta, ios@1.3]
            steps:
              - open: http://localhost:4567/
              - expect app: {title: Home, isLoading: false}
              - tap: "#old"
              - expect app: {title: Post 1, isLoading: false}
            """
        let outcome = try await run(text: steps, .chromium)
        #expect(outcome.status == 0, "\(outcome.output)")
        let table = """
                  ios@1.2       main: / › /posts/1
                  ios@1.3-beta  main: /posts/1
                  ios@1.3       main: / › /posts/1
            3 passed.

            """
        #expect(outcome.output.hasSuffix(table) && outcome.output.contains("≠ FLOW: "), "\(outcome.output)")
    }

    @Test(arguments: [
        (
            "tap",
            "#   android@1.3  fails: expected pullToRefresh to succeed; found pull_to_refresh_enabled is false for /."
        ),
        ("junit", "  ios@1.3      passes"),
    ])
    func reportsDifferencesInTAPAndJUnit(_ reporter: String, line: String) async throws {
        let outcome = try await run(
            "platforms.yml", .chromium, ["--framework", "ios", "--framework", "android", "--reporter", reporter])
        #expect(outcome.status == 1 && outcome.output.contains(line), "\(outcome.output)")
    }

    /// - Returns: the output and the status. `FLOW` replaces the path of the flow's copy.
    private func run(
        _ name: String = "flow.yml", text: String? = nil, demo: String? = nil, library: WebApp.Library = .turbo,
        _ engine: Browser.Engine,
        _ options: [String] = []
    ) async throws -> (output: String, status: Int32) {
        try requireInstalled(engine)
        let port = try ListeningSocket().port
        let web = try await WebApp(
            library, bridge: "http://localhost:\(port)/bridge.js", isDemo: demo != nil)
        let flow =
            try text ?? String(decoding: Data(contentsOf: Repository.file("Examples/flows/\(name)")), as: UTF8.self)
        let folder = try TemporaryFolder()
        let path = folder.path(name)
        try flow.replacing("http://localhost:4567", with: web.url)
            .write(toFile: path, atomically: true, encoding: .utf8)
        let rules = Repository.file("Examples/TurboApp/\(demo.map { "demo/\($0)" } ?? "path-configuration").json").path
        let outcome = try await Executable.run(
            [
                "test", path, "--port", "\(port)", "--in", "\(TestBrowser.attached(engine))", "--path-configuration",
                rules,
                "--trace", "off",
            ]
                + options)
        return (outcome.output.replacing("\(path):", with: "FLOW:"), outcome.status)
    }
}
