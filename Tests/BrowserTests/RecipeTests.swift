import BridgeProtocol
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// Runs the scripts of clients/README.md whose language is installed on this machine.
@Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct RecipeTests {
    /// A test file that uses one of the clients.
    struct Recipe: Sendable, CustomTestStringConvertible {
        let language: String
        let client: String
        let file: String
        /// What the recipe needs, as a command that succeeds if it is there.
        let needs: String
        let command: [String]
        /// What the command prints if the test has passed.
        let passed: String

        var testDescription: String { language }
    }

    @Test(arguments: [
        Recipe(
            language: "python", client: "clients/python/bridged.py", file: "test_recipe.py",
            needs: "python3 -m pytest --version",
            command: ["python3", "-m", "pytest", "-p", "no:cacheprovider", "test_recipe.py"], passed: "1 passed"),
        Recipe(
            language: "js", client: "clients/node/bridged.mjs", file: "recipe.test.mjs", needs: "node --version",
            command: ["node", "--test", "recipe.test.mjs"], passed: "pass 1"),
        Recipe(
            language: "ruby", client: "clients/ruby/lib/bridged.rb", file: "recipe_test.rb",
            needs: "ruby -r capybara -e 0",
            command: ["ruby", "-I", Repository.file("clients/ruby/lib").path, "recipe_test.rb"],
            passed: "1 runs, 2 assertions, 0 failures, 0 errors"),
    ])
    func runsWithTheClient(_ recipe: Recipe) async throws {
        try await Self.require(recipe.needs)
        let folder = try TemporaryFolder()
        try Self.block(of: recipe.language).write(toFile: folder.path(recipe.file), atomically: true, encoding: .utf8)
        let client = Repository.file(recipe.client)
        try FileManager.default.copyItem(atPath: client.path, toPath: folder.path(client.lastPathComponent))
        let environment = [
            "XDG_RUNTIME_DIR": folder.path(""), "PYTHONDONTWRITEBYTECODE": "1",
        ]
        let outcome = try await Executable.run(
            recipe.command, environment: environment,
            by: #"cd "$XDG_RUNTIME_DIR" && export BRIDGED="$1"; "# + Self.another)
        #expect(
            outcome.output.contains(recipe.passed) && outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    /// A script for `Executable.run` that runs another program instead of `bridged`.
    private static let another = #"shift; exec "$@""#

    private static func block(of language: String) throws -> String {
        let text = try String(contentsOf: Repository.file("clients/README.md"), encoding: .utf8)
        let start = try #require(text.range(of: "```\(language)\n")?.upperBound)
        let end = try #require(text.range(of: "\n```", range: start..<text.endIndex)?.lowerBound)
        return String(text[start..<end])
    }

    /// Skips the test if a shell command fails.
    private static func require(_ command: String) async throws {
        guard try await Executable.run(["bash", "-c", command], by: another).status != 0 else { return }
        print("Skipped: this fails here: \(command)")
        try Test.cancel("this fails here: \(command)")
    }
}
