import Foundation
import TestSupport
import Testing

/// What `bridged test` does before it runs a flow.
struct TestCommandTests {
    @Test(arguments: [
        (["--url", "http://localhost:3000"], "belong to --app"),
        (["--strict"], "belong to --app"),
        (["--app", "My.xcodeproj", "--in", "chromium+tag"], "opens its own web views"),
        (["--app", "My.xcodeproj", "--url", "localhost:3000"], "--url needs an address"),
        (["--app", "/nowhere/My.xcodeproj"], "/nowhere/My.xcodeproj does not exist"),
    ])
    func refusesOptionsThatDoNotFit(_ options: [String], _ reason: String) async throws {
        let folder = try TemporaryFolder()
        try Data("- open: /".utf8).write(to: URL(fileURLWithPath: folder.path("f.yml")))
        let outcome = try await Executable.run(["test", folder.path("f.yml")] + options)
        #expect(outcome.status != 0 && outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test func redactNamesVariablesOfFlows() async throws {
        let folder = try TemporaryFolder()
        try Data("- wait: 1ms\n  timeout: ${PIN}".utf8).write(to: URL(fileURLWithPath: folder.path("f.yml")))
        let options = ["test", folder.path("f.yml"), "--env", "PIN=hunter2"]
        for (redacted, shown) in [(["--redact", "pin"], "${PIN}"), ([], "hunter2")] {
            let outcome = try await Executable.run(options + redacted)
            #expect(outcome.errors.contains("found \"\(shown)\"") && outcome.status == 64, "\(outcome.errors)")
        }
    }

    /// Each option of `bridged serve` or of a run that would do nothing says what has the effect that was meant.
    @Test(arguments: [
        (["f.yml", "--log", "x.ndjson"], "give a folder with --keep-log"),
        (["f.yml", "--json"], "choose the results' format with --reporter"),
        (["f.yml", "--verbose"], "--verbose belongs to --app"),
        (["f.yml", "--timeout", "0"], "--timeout"),
        (["f.yml", "--trace", "off", "--trace-folder", "t"], "--trace-folder has no effect with --trace off"),
        (["f.yml", "--app", "My.xcodeproj", "--tab", "Posts=/posts"], "--tab is for the emulated app"),
        (["--record", "r.yml", "--in", "chromium+tag"], "+tag has no effect with --record"),
        (["f.yml", "--browser", "chromium"], "--browser is --in now: write --in chromium+tag, or --in chromium"),
        (["f.yml", "--browser", "webKitGTK"], "--in webkit+tag"),
        (["f.yml", "--in", "driven-chromium"], "- chromium+tag\n"),
        (["f.yml", "--in", "firefox+tag", "--device", "none"], "leave out +tag, or --device"),
        (["--record", "r.yml", "--reporter", "tap"], "--reporter has no effect with --record"),
        (["--record", "r.yml", "--keep-log", "logs"], "write the traffic to a file with --log"),
        (["--record", "r.yml", "--trace", "on"], "--trace has no effect with --record"),
        (["--record", "r.yml", "--trace-folder", "t"], "--trace-folder has no effect with --record"),
        (["--record", "r.yml", "--wait", "1m"], "--wait has no effect with --record"),
        (["f.yml", "--app", "My.xcodeproj", "--wait", "1m"], "--wait is for the emulated app"),
        (["f.yml", "--app", "My.xcodeproj", "--device", "iPhone SE"], "leave out --device"),
        (["f.yml", "--device", "Nokia 3310"], "- Pixel 9\n  - none\n"),
        (["--record", "r.yml", "--timeout", "1m"], "--timeout has no effect with --record"),
        (["--record", "r.yml", "--tag", "a"], "--tag has no effect with --record"),
        (["--record", "r.yml", "--watch"], "--watch has no effect with --record"),
        (["f.yml", "--watch", "--reporter", "tap"], "leave out --reporter"),
        (["f.yml", "--watch", "--app", "My.xcodeproj"], "leave out --app"),
        (["f.yml", "--env", "A"], "--env needs a name and a value"),
        (["f.yml", "--env", "a-b=1"], "--env needs a name and a value"),
        (["f.yml", "--grep", "("], "--grep needs a regular expression"),
        (["f.yml", "--retries", "-1"], "--retries"),
        (["f.yml", "--jobs", "0"], "--jobs is a whole number from 1 to 64, not 0."),
        (["f.yml", "--jobs", "2", "--port", "4000"], "leave out --port"),
        (["f.yml", "--jobs", "2", "--watch"], "leave out --jobs"),
        (["f.yml", "--jobs", "2", "--app", "My.xcodeproj"], "Leave out --app"),
        (["--record", "r.yml", "--jobs", "2"], "--jobs has no effect with --record"),
        (["f.yml", "--ask"], "--ask belongs to --on"),
        (["f.yml", "--on", "phone", "--in", "chromium"], "--in has no effect with --on"),
        (["f.yml", "--on", "phone", "--trace", "on"], "--trace has no effect with --on"),
        (["f.yml", "--on", "phone", "--framework", "ios"], "--framework is for the emulated app"),
    ])
    func refusesOptionsWithoutEffect(_ options: [String], _ reason: String) async throws {
        let outcome = try await Executable.run(["test"] + options)
        #expect(outcome.status == 64 && outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test func helpSaysInWhichBrowserFlowsRun() async throws {
        let help = try await Executable.run(["test", "--help"]).output.split(whereSeparator: \.isWhitespace)
        #expect(help.joined(separator: " ").contains("(default: chromium; with --record no browser)"))
    }

    @Test func folderStandsForItsFlows_inTheOrderOfTheirNames() async throws {
        let folder = try TemporaryFolder()
        for name in ["c.yml", "b.yaml", "notes.txt", "bridged.yml"] {
            try Data("- nothing: \(name)".utf8).write(to: URL(fileURLWithPath: folder.path(name)))
        }
        let outcome = try await Executable.run(["test", folder.path("")])
        #expect(outcome.errors.contains("b.yaml:1"), "\(outcome.errors)")
    }

    /// As of every command that cannot read a file.
    @Test func flowThatCannotBeRead_endsWith66() async throws {
        let outcome = try await Executable.run(["test", "/nowhere/f.yml"])
        #expect(
            outcome.status == 66
                && outcome.errors == "error: /nowhere/f.yml: Can't be read: No such file or directory.\n",
            "\(outcome.errors)")
    }

    @Test func folderWithoutFlows_isAMistake() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Executable.run(["test", folder.path("")])
        #expect(outcome.status == 64 && outcome.errors.contains("has no flow"), "\(outcome.errors)")
    }
}
