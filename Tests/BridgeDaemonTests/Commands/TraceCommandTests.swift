import BridgeProtocol
import BridgeTesting
import Foundation
import TestSupport
import Testing

@testable import BridgeDaemon

/// `bridged trace`. For `show` there is a program in place of the system's that starts browsers.
@Suite(.timeLimit(.minutes(2))) struct TraceCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let trace = "<html><meta name=\"generator\" content=\"bridged trace\"></html>\n"

    private func file(_ name: String, _ text: String) throws -> String {
        try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
        return folder.path(name)
    }

    /// Runs the command. The program that starts browsers writes its argument to a file.
    private func show(
        _ trace: String, browserFails: Bool = false, browserStays: Bool = false, screen: String = ":0"
    ) async throws -> Executable.Outcome {
        let opener = try file(
            UserBrowser.program,
            "#!/bin/sh\necho \"$1\" > '\(folder.path("opened"))'\n"
                + (browserStays ? "while kill -0 $PPID; do sleep 0.1; done\n" : "") + "exit \(browserFails ? 3 : 0)\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: opener)
        return try await Executable.run(
            ["trace", "show", trace],
            environment: [
                "PATH": "\(folder.path("")):/usr/bin:/bin", "DISPLAY": screen, "WAYLAND_DISPLAY": "", "BROWSER": "",
            ])
    }

    @Test func opensTheFile() async throws {
        let trace = try file("my trace.html", Self.trace)
        let outcome = try await show(trace)
        let url = URL(fileURLWithPath: trace).absoluteString
        #expect(outcome.status == 0 && outcome.output == "Your browser shows \(url)\n", "\(outcome.errors)")
        #expect(try String(contentsOfFile: folder.path("opened"), encoding: .utf8) == "\(url)\n")
    }

    /// As xdg-open does on a machine without a desktop.
    @Test func endsBeforeTheBrowser_ifThatIsTheProgramItself() async throws {
        let outcome = try await show(try file("my trace.html", Self.trace), browserStays: true)
        #expect(outcome.status == 0 && outcome.output.hasPrefix("Your browser shows file:"), "\(outcome.errors)")
    }

    /// Neither a file without an end is read to its end, nor one that nobody writes.
    @Test func refusesWhatHasNoEnd() async throws {
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in ["/dev/zero", pipe] {
            let outcome = try await Executable.run(["trace", "show", path], by: "ulimit -v 4000000; exec \"$@\"")
            #expect(outcome.errors == "error: Can't show \(path): It cannot be read: it is no regular file.\n")
            #expect(outcome.status == 66)
        }
    }

    @Test func namesTheFile_ifNoBrowserStarts() async throws {
        let trace = try file("my trace.html", Self.trace)
        let outcome = try await show(trace, browserFails: true)
        #expect(outcome.status == 1 && outcome.errors.contains(" could not start a browser. Open the file"))
        #expect(outcome.errors.hasSuffix(": \(trace)\n"), "\(outcome.errors)")
    }

    /// xdg-open may start a browser for text then, or say nothing.
    @Test func namesTheFile_onAMachineWithoutAScreen() async throws {
        let trace = try file("my trace.html", Self.trace)
        let outcome = try await show(trace, screen: "")
        #expect(outcome.status == 1 && outcome.errors.contains("This machine has no screen. Open the file"))
        #expect(outcome.errors.hasSuffix(": \(trace)\n"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("opened")))
    }

    @Test(arguments: [
        ("other.html", "<html></html>\n", "It is no trace. Name a file that bridged test wrote for a failed flow."),
        (
            "half.html", String(trace.dropLast(5)),
            "It is not complete: its end is missing. Was the disk full, or is it a part of a download?"
        ),
        ("missing.html", nil, "It cannot be read: No such file or directory."),
    ])
    func saysWhatIsWrongWithTheFile(_ name: String, text: String?, problem: String) async throws {
        let path = folder.path(name)
        if let text { _ = try file(name, text) }
        let outcome = try await show(path)
        #expect(outcome.errors == "error: Can't show \(path): \(problem)\n" && outcome.status == 66)
        #expect(!FileManager.default.fileExists(atPath: folder.path("opened")))
    }

    @Test func savesWhatTheAppShows_andItsTraffic() async throws {
        let fixture = try await CommandFixture()
        let path = folder.path("trace.html")
        let outcome = try await fixture.run(
            "trace", "save", path, "--name", "registers </script>", "--failure", "Expected \"Saved\"")
        #expect(outcome.status == 0 && outcome.output == "\(path)\n", "\(outcome.errors)")
        #expect(TraceFolder.problem(ofFile: path) == nil)
        let html = try String(contentsOfFile: path, encoding: .utf8)
        let json = try #require(html.firstMatch(of: /<script type="application\/json" id="trace">(.*)<\/script>/))
        let trace = try JSON.parse(String(json.1))
        #expect(trace["name"]?.string == "registers </script>")
        #expect(trace["failure"]?["found"]?.string == "Expected \"Saved\"")
        #expect(trace["moments"]?[1]?["state"]?["main"]?.count == 1)
        #expect(trace["records"]?.elements.contains { $0["kind"]?.string == "page" } == true, "\(trace.text)")
        #expect(trace["moments"]?[1]?["missing"]?.string?.isEmpty == false)
        _ = try await fixture.run("trace", "save", path, "--filter", "kind:problem")
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains(#""records":[]"#))
        _ = try await fixture.run("trace", "save", path, "--after", "100000")
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains(#""records":[]"#))
        let steps = try file(
            "steps.json",
            """
            [{"text": "visit \\"/demo/\\"", "time": "2026-01-01T00:00:00Z", "milliseconds": 5},
             {"text": "click", "time": "2099-01-01T00:00:00Z", "milliseconds": 5}]
            """)
        _ = try await fixture.run("trace", "save", path, "--steps", steps)
        let withSteps = try String(contentsOfFile: path, encoding: .utf8)
        #expect(withSteps.contains(#""text":"visit \"/demo/\"","time":"2026-01-01T00:00:00.000000Z","milliseconds":5"#))
        let moments = try #require(withSteps.firstMatch(of: /"moments":\[(.*?)\],"records"/))
        // Nothing had come when the first step ended, and everything when the second did.
        #expect(String(moments.1).contains(#"{"record":0,"time":"2026-01-01T00:00:00.005000Z""#))
        #expect(!String(moments.1).contains(#"{"record":0,"time":"2099"#))
        let none = try await fixture.run("trace", "save", path, "--steps", folder.path("missing.json"))
        #expect(none.status == 66 && none.errors.contains("cannot be read"), "\(none.errors)")
        let unwritable = try await fixture.run("trace", "save", folder.path("missing/trace.html"))
        #expect(unwritable.status == 64 && unwritable.errors.contains("cannot be written"), "\(unwritable.errors)")
    }
}
