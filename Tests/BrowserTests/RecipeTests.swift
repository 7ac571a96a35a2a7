import BridgeProtocol
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// Runs the scripts of docs/test.md whose language is installed on this machine.
@Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct RecipeTests {
    private static let document = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("docs/test.md")

    @Test(arguments: [
        ("python", ["python3", "-"]), ("js", ["node", "--input-type=module", "-"]),
        ("sh", ["bash", "-euo", "pipefail", "-s"]),
    ])
    func runs(language: String, command: [String]) async throws {
        for program in language == "sh" ? ["bash", "curl", "jq"] : [command[0]] {
            guard try await !Self.isThere(program) else { continue }
            print("Skipped: there is no \(program).")
            try Test.cancel("there is no \(program)")
        }
        let folder = try TemporaryFolder()
        let environment = ["XDG_RUNTIME_DIR": folder.path("")]
        let daemon = try RunningDaemon(["--port", "0", "--json"], environment: environment)
        let browser = try launch(.chromium, "\(try await daemon.listening().url)demo/")
        let script = try Self.block(of: language)
        let outcome = try await Executable.run(
            command, environment: environment, input: script, by: Self.another)
        #expect(outcome.output == "handled\n" && outcome.status == 0, "\(outcome.errors)")
        browser.close()
    }

    /// A script for `Executable.run` that runs another program instead of `bridged`.
    private static let another = #"shift; exec "$@""#

    private static func block(of language: String) throws -> String {
        let text = String(decoding: try Data(contentsOf: document), as: UTF8.self)
        let start = try #require(text.range(of: "```\(language)\n")?.upperBound)
        let end = try #require(text.range(of: "\n```", range: start..<text.endIndex)?.lowerBound)
        return String(text[start..<end])
    }

    private static func isThere(_ program: String) async throws -> Bool {
        try await Executable.run(["bash", "-c", "command -v \(program)"], by: another).status == 0
    }
}
