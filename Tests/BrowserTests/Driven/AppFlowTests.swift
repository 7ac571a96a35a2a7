import BridgeBrowsers
import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// `bridged test --app`: flows against an app's own controllers, in the app's process.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct AppFlowTests {
    private let folder = try? TemporaryFolder()

    private static let page = """
        <!doctype html><title>Web</title>
        <button id="push" onclick="webkit.messageHandlers.app.postMessage({ title: 'Second' })">Push</button>
        <button id="crash" onclick="webkit.messageHandlers.app.postMessage({ title: 'Crash' })">Crash</button>
        """

    /// Runs a flow with the program that is built from `Tests/FlowApp`.
    private func run(_ steps: String, in engine: BrowserEngine) async throws -> Executable.Outcome {
        try requireDriven(engine)
        let site = try await StaticApp(Self.page)
        let origin = String(site.url.dropLast())
        let folder = try #require(folder)
        try Data(steps.replacing("ORIGIN", with: origin).utf8).write(to: URL(fileURLWithPath: folder.path("app.yml")))
        let outcome = try await Executable.run([
            "test", folder.path("app.yml"), "--app", Executable.beside("FlowApp").path, "--url", origin,
            "--in", engine.rawValue, "--trace-folder", folder.path("traces"),
        ])
        withExtendedLifetime(site) {}
        return outcome
    }

    @Test(arguments: BrowserEngine.allCases)
    func flowUsesTheAppsOwnScreens(_ engine: BrowserEngine) async throws {
        let outcome = try await run(
            """
            - open: ORIGIN
            - expect app: {title: Start, visible: main, main: [{controller: WebScreen, url: ORIGIN/}]}
            - tap: {text: Push}
            - expect message: {handler: app, match: {title: Second}}
            - expect app: {title: Second, main: [{title: Start}, {title: Second, barButtons: [{title: Done}]}]}
            - perform: {action: tap, text: Done}
            - expect app: {title: Start, main: [{title: Start}]}
            - visit: ORIGIN/?again
            - wait: location.search === "?again"
            - expect app: {main: [{url: "ORIGIN/?again"}]}
            """, in: engine)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains("1 passed."))
    }

    @Test func failureNamesTheStep_andHasATrace() async throws {
        let outcome = try await run(
            """
            - open: ORIGIN
            - expect app: {title: Elsewhere}
              timeout: 100ms
            """, in: .chromium)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains(#"found     {"title":"Start"}"#), "\(outcome.output)")
        #expect(outcome.output.contains("step 2, "))
        #expect(outcome.output.contains("bridged trace show"))
    }

    @Test func tapWithoutAnElement_namesWhatCanBeTapped() async throws {
        let outcome = try await run("- open: ORIGIN\n- tap: Push\n  timeout: 2s", in: .chromium)
        #expect(outcome.output.contains("write {text: Push}"), "\(outcome.output)")
    }

    @Test func flowsOfTheSameNameInTwoFolders_haveTwoTraces() async throws {
        try requireDriven(.chromium)
        let site = try await StaticApp(Self.page)
        let folder = try #require(folder)
        for name in ["a", "b"] {
            let path = folder.path(name)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data("- open: \(site.url)".utf8).write(to: URL(fileURLWithPath: "\(path)/same.yml"))
        }
        let outcome = try await Executable.run([
            "test", folder.path("a/same.yml"), folder.path("b/same.yml"), "--app", Executable.beside("FlowApp").path,
            "--url", String(site.url.dropLast()), "--in", "chromium", "--trace", "on", "--trace-folder",
            folder.path("traces"),
        ])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        let traces = try FileManager.default.contentsOfDirectory(atPath: folder.path("traces")).sorted()
        #expect(traces == ["same-driven-chromium-2.html", "same-driven-chromium.html"])
        withExtendedLifetime(site) {}
    }

    @Test func testInSwiftRunsTheApp_oneAfterTheOther() async throws {
        try requireDriven(.chromium)
        let site = try await StaticApp(Self.page)
        let outcome = try await Executable.run(
            ["--with-app"],
            environment: ["BRIDGED_APP_ORIGIN": String(site.url.dropLast()), "BRIDGED_ENGINE": "chromium"],
            by: #"exec "$(dirname "$1")/FlowApp" --with-app"#)
        #expect(outcome.status == 0 && outcome.output == "Second\nSecond\n", "\(outcome.output)\(outcome.errors)")
        withExtendedLifetime(site) {}
    }

    @Test func appThatEnds_isReported() async throws {
        let outcome = try await run("- open: ORIGIN\n- tap: '#crash'\n- wait: 10s", in: .chromium)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("the app ended with 3 before the flow did"), "\(outcome.output)")
    }
}
