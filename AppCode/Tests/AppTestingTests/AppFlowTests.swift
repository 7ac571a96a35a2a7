import BridgeProtocol
import Foundation
import Testing

/// `bridged test --app`: flows against an app's own controllers, in the app's process.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct AppFlowTests {
    private static let page = """
        <!doctype html><title>Web</title>
        <button id="push" onclick="webkit.messageHandlers.app.postMessage({ title: 'Second' })">Push</button>
        <button id="launches" onclick="webkit.messageHandlers.app.postMessage({ title: 'Launches' })">Count</button>
        <button id="crash" onclick="webkit.messageHandlers.app.postMessage({ title: 'Crash' })">Crash</button>
        """

    /// Runs a flow with the program that is built from `Tests/FlowApp`.
    private func run(
        _ steps: String, in engine: BrowserEngine, environment: [String: String] = [:]
    ) async throws -> Program.Outcome {
        try require(engine)
        let site = try await Site(["index.html": Self.page, "app.yml": ""])
        try site.write(steps.replacing("ORIGIN", with: site.origin), to: "app.yml")
        return try await Program.bridged.run(
            [
                "test", site.path("app.yml"), "--app", Program.flowApp.url.path, "--url", site.origin,
                "--in", engine.rawValue, "--trace-folder", site.path("traces"),
            ], environment: environment)
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

    @Test func eachFlowHasAnAppThatIsJustInstalled() async throws {
        let steps = """
            - open: ORIGIN
            - tap: '#launches'
            - expect app: {title: "Settings 1, file 1"}
            - tap: '#launches'
            - expect app: {title: "Settings 2, file 2"}
            """
        for _ in 1...2 {
            let outcome = try await run(steps, in: .chromium)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }
    }

    @Test(arguments: BrowserEngine.allCases)
    func appShowsHTMLOfItsOwn_andThenAPage(_ engine: BrowserEngine) async throws {
        let outcome = try await run(
            """
            - open: ORIGIN
            - expect app: {title: Own page}
            - wait: document.title === "Web"
            """, in: engine, environment: ["FLOW_APP_OWN_PAGE": "1"])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    /// A program that `bridged run --build` made has a file with the servers that its source names.
    @Test func programThatNamesNoServers_isWarnedAbout() async throws {
        let outcome = try await run("- open: ORIGIN", in: .chromium)
        #expect(outcome.errors.contains("--url replaces none of them"), "\(outcome.errors)")
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
        try require(.chromium)
        let site = try await Site(["index.html": Self.page])
        for name in ["a", "b"] { try site.write("- open: \(site.origin)/", to: "\(name)/same.yml") }
        let outcome = try await Program.bridged.run([
            "test", site.path("a/same.yml"), site.path("b/same.yml"), "--app", Program.flowApp.url.path,
            "--url", site.origin, "--in", "chromium", "--trace", "on", "--trace-folder", site.path("traces"),
        ])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        let traces = try FileManager.default.contentsOfDirectory(atPath: site.path("traces")).sorted()
        #expect(traces == ["same-chromium-2.html", "same-chromium.html"])
    }

    @Test func testInSwiftRunsTheApp_oneAfterTheOther() async throws {
        try require(.chromium)
        let site = try await Site(["index.html": Self.page])
        let outcome = try await Program.flowApp.run(
            ["--with-app"], environment: ["BRIDGED_APP_ORIGIN": site.origin, "BRIDGED_ENGINE": "chromium"])
        #expect(outcome.status == 0 && outcome.output == "Second\nSecond\n", "\(outcome.output)\(outcome.errors)")
    }

    @Test func appThatEnds_isReported() async throws {
        let outcome = try await run("- open: ORIGIN\n- tap: '#crash'\n- wait: 10s", in: .chromium)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("the app ended with 3 before the flow did"), "\(outcome.output)")
    }
}
