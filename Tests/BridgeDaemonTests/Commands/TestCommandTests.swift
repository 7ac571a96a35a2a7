import Foundation
import TestSupport
import Testing

/// What `bridged test` does before it runs a flow.
struct TestCommandTests {
    @Test(arguments: [
        (["--url", "http://localhost:3000"], "belong to --app"),
        (["--app", "My.xcodeproj", "--browser", "chromium"], "opens its own web views"),
        (["--app", "My.xcodeproj", "--url", "localhost:3000"], "--url needs an address"),
        (["--app", "/nowhere/My.xcodeproj"], "/nowhere/My.xcodeproj does not exist"),
    ])
    func refusesOptionsThatDoNotFit(_ options: [String], _ reason: String) async throws {
        let folder = try TemporaryFolder()
        try Data("- open: /".utf8).write(to: URL(fileURLWithPath: folder.path("f.yml")))
        let outcome = try await Executable.run(["test", folder.path("f.yml")] + options)
        #expect(outcome.status != 0 && outcome.errors.contains(reason), "\(outcome.errors)")
    }

    /// Each option of `bridged serve` or of a run that would do nothing says what has the effect that was meant.
    @Test(arguments: [
        (["f.yml", "--log", "x.ndjson"], "give a folder with --keep-log"),
        (["f.yml", "--json"], "choose the results' format with --reporter"),
        (["f.yml", "--verbose"], "--verbose belongs to --app"),
        (["f.yml", "--timeout", "0"], "--timeout"),
        (["f.yml", "--trace", "off", "--trace-folder", "t"], "--trace-folder has no effect with --trace off"),
        (["f.yml", "--app", "My.xcodeproj", "--tab", "Posts=/posts"], "--tab is for the emulated app"),
        (["--record", "r.yml", "--browser", "chromium"], "--browser has no effect with --record"),
        (["--record", "r.yml", "--reporter", "tap"], "--reporter has no effect with --record"),
        (["--record", "r.yml", "--keep-log", "logs"], "write the traffic to a file with --log"),
        (["--record", "r.yml", "--trace", "on"], "--trace has no effect with --record"),
        (["--record", "r.yml", "--trace-folder", "t"], "--trace-folder has no effect with --record"),
        (["--record", "r.yml", "--timeout", "1m"], "--timeout has no effect with --record"),
    ])
    func refusesOptionsWithoutEffect(_ options: [String], _ reason: String) async throws {
        let outcome = try await Executable.run(["test"] + options)
        #expect(outcome.status == 64 && outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test func folderStandsForItsFlows_inTheOrderOfTheirNames() async throws {
        let folder = try TemporaryFolder()
        for name in ["b.yml", "a.yaml", "notes.txt"] {
            try Data("- nothing: \(name)".utf8).write(to: URL(fileURLWithPath: folder.path(name)))
        }
        let outcome = try await Executable.run(["test", folder.path("")])
        #expect(outcome.errors.contains("a.yaml:1"), "\(outcome.errors)")
    }

    @Test func folderWithoutFlows_isAMistake() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Executable.run(["test", folder.path("")])
        #expect(outcome.status == 64 && outcome.errors.contains("has no flow"), "\(outcome.errors)")
    }
}
