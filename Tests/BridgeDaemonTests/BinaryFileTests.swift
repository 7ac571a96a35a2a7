import Foundation
import TestSupport
import Testing

/// The file of `--binary`: its mistakes, with their places, and what must not be said twice.
@Suite(.timeLimit(.minutes(4))) struct BinaryFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = folder.path(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test(arguments: [
        (
            "component: [form]\ncomponents: [nfc]",
            "app.yml:2:1: There is no key \"components\" here. Did you mean \"component\"?"
        ),
        (
            "port: 1",
            "app.yml:1:1: There is no key \"port\" here. There are name, framework, component, native-screen, uri, "
                + "application-user-agent-prefix, path-configuration."
        ),
        ("name: [1.0]", "app.yml:1:7: Expected a text, found a list."),
        ("framework: ios@0.9", "app.yml:1:12: Expected ios@1.2"),
        ("framework: [ios, android]", "app.yml:1:12: A build has one framework, not ios@"),
        (
            "framework: ios\nuri: [hotwire://fragment/a]",
            "app.yml:2:6: uri is for Android. A build for iOS has native-screen."
        ),
        (
            "framework: android\nnative-screen: [numbers]",
            "app.yml:2:16: native-screen is for iOS. A build for Android has uri."
        ),
        (
            "framework: android\nuri: [numbers]",
            "app.yml:2:7: Expected a URI such as hotwire://fragment/numbers for uri"
        ),
        ("path-configuration: nowhere.json", "nowhere.json"),
    ])
    func mistakeStopsTheStart_withItsPlace(_ text: String, _ message: String) async throws {
        let outcome = try await Executable.run(["serve", "--port", "0", "--binary", file("app.yml", text)])
        #expect(outcome.status != 0 && outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test func optionBesideTheFile_isAMistake() async throws {
        let path = try file("app.yml", "name: 1.0\nframework: ios@1.2")
        let outcome = try await Executable.run(["serve", "--binary", path, "--framework", "android"])
        #expect(outcome.status == 64)
        #expect(
            outcome.errors.contains(
                "\(path):2 says what framework the build has, and so does --framework. Leave one of them out."),
            "\(outcome.errors)")
    }

    @Test func onlyTestTakesSeveral() async throws {
        let paths = try ["a.yml", "b.yml"].map { try file($0, "framework: ios") }.joined(separator: ",")
        for command in [["serve"], ["open", "http://localhost:1"]] {
            let outcome = try await Executable.run(command + ["--binary", paths])
            #expect(outcome.status == 64 && outcome.errors.contains("give one"), "\(outcome.errors)")
        }
    }

    /// A flow that names a framework runs only with builds that have it.
    @Test func flowWithoutABuild_isAMistake() async throws {
        let flow = try file("f.yml", "framework: android\nsteps:\n  - open: /demo/")
        let outcome = try await Executable.run([
            "test", flow, "--binary", file("app.yml", "name: A\nframework: ios@1.2"),
        ])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("is for android@1.3, and of the builds A has ios@1.2"), "\(outcome.errors)")
    }

    /// Beside others, such a flow is left out.
    @Test func flowWithoutABuild_isLeftOutOfAFolder() async throws {
        try FileManager.default.createDirectory(atPath: folder.path("flows"), withIntermediateDirectories: false)
        let flow = try file("flows/f.yml", "framework: android\nsteps:\n  - open: /demo/")
        _ = try file("flows/g.yml", "steps:\n  - open: /demo/")
        let arguments = try [
            "test", folder.path("flows"), "--binary", file("app.yml", "name: A\nframework: ios@1.2"), "--timeout",
            "1ms", "--in", "chromium+tag",
        ]
        let outcome = try await Executable.run(arguments)
        let note = "note: \(flow) is for android@1.3, and of the builds A has ios@1.2. The flow is left out.\n"
        #expect(outcome.errors == note)
        #expect(outcome.output.contains("1 of 1 failed"), "\(outcome.output)")
        #expect(outcome.output.hasSuffix(". 1 was left out.\n"), "\(outcome.output)")
        #expect(outcome.status == 1)
        for (reporter, part) in [
            ("junit", #"skipped="1""#), ("junit", #"<skipped message="\#(flow) is for android@1.3, and "#),
            ("tap", "ok 2 - \(flow): f (chromium+tag, android@1.3) # SKIP \(flow) is for"),
            ("json", #""status":"skipped","reason":"\#(flow) is for"#),
        ] {
            let report = try await Executable.run(arguments + ["--reporter", reporter]).output
            #expect(report.contains(part), "\(reporter): \(report)")
        }
    }
}
