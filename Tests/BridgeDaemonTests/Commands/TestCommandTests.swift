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
