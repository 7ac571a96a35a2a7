import BridgeTesting
import Foundation
import TestSupport
import Testing

/// `bridged compare`, with logs of real runs.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct CompareTests {
    private let folder: TemporaryFolder
    private let web: WebApp

    init() async throws {
        try requireInstalled(.chromium)
        folder = try TemporaryFolder()
        web = try await WebApp(.turbo, bridge: nil)
    }

    /// Writes a flow of Examples/TurboApp in which a redirect pops a screen in one release only. It waits for the second visit,
    /// that of the redirect, because the log ends with the flow.
    private func flow(_ name: String, also steps: String = "") throws -> String {
        let path = folder.path(name)
        let text = """
            steps:
              - open: \(web.url)/
              - expect app: {title: Home, isLoading: false}
            \(steps)
              - tap: "#old"
              - expect app: {title: Post 1, isLoading: false}
              - expect message: {handler: turbo, name: visitCompleted}
              - expect message: {handler: turbo, name: visitCompleted}
            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private var rules: [String] {
        ["--path-configuration", Repository.file("Examples/TurboApp/path-configuration.json").path]
    }

    /// Runs a flow.
    /// - Returns: the path of its log.
    private func log(of flow: String, in logs: String, framework: String = "ios@1.3", _ browser: String = "chromium")
        async throws -> String
    {
        let outcome = try await Executable.run(
            [
                "test", flow, "--in", browser, "--keep-log", folder.path(logs), "--trace", "off", "--framework",
                framework,
            ] + rules)
        try #require(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        let name = URL(fileURLWithPath: flow).deletingPathExtension().lastPathComponent
        return folder.path("\(logs)/\(name)-\(browser).ndjson")
    }

    @Test func findsNothing_betweenTwoRunsOfTheSame() async throws {
        let flow = try flow("redirect.yml")
        let (one, other) = (try await log(of: flow, in: "one"), try await log(of: flow, in: "other"))
        let outcome = try await Executable.run(["compare", one, other])
        #expect(outcome.status == 0 && outcome.output.contains(": no difference. Compared: "), "\(outcome.output)")
        #expect(outcome.output.contains(" visits, ") && outcome.output.contains(" requests."), "\(outcome.output)")
    }

    @Test func findsWhatAnotherStepHasDone() async throws {
        let one = try await log(of: try flow("redirect.yml"), in: "one")
        let post = "  - post: {handler: nativeApp, body: {name: ActionButton, path: /new, icon: plus}}"
        let other = try await log(of: try flow("more.yml", also: post), in: "other")
        let outcome = try await Executable.run(["compare", one, other, "--json"])
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.status == 1 && lines.count == 2, "\(outcome.output)")
        #expect(lines.first?.contains(#""kind":"message","name":"nativeApp ActionButton","page":"/""#) == true)
    }

    /// The redirect leaves the first screen in the stack in ios@1.3, and not in its beta.
    @Test func namesTheReleaseThatARunIsLike() async throws {
        let flow = try flow("redirect.yml")
        let phone = try await log(of: flow, in: "phone")
        let settings = folder.path("bridged.yml")
        try "path-configuration: \(rules[1])".write(toFile: settings, atomically: true, encoding: .utf8)
        let outcome = try await Executable.run(
            [
                "compare", phone, "--flow", flow, "--framework", "ios@1.3-beta,ios@1.3", "--in", "chromium", "--config",
                settings,
            ])
        let results = outcome.output.split(separator: "\n").filter { $0.contains(" Compared: ") }
        #expect(results.count == 2 && outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(results.first?.hasPrefix("ios@1.3: no difference.") == true, "\(outcome.output)")
        #expect(results.last?.hasPrefix("ios@1.3-beta: ") == true)
        #expect(outcome.output.contains("main"), "The stacks part.")
    }
}
