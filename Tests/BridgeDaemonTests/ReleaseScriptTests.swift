import Foundation
import TestSupport
import Testing

/// `scripts/release` in a repository of its own, whose `make` only notes what it is asked for.
@Suite(.timeLimit(.minutes(1))) struct ReleaseScriptTests {
    @Test func tagsAVersion_onceItsTestsAndPackageHavePassed() async throws {
        let outcome = try await release("9.8.7")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("made: test-all check-package\n"))
        #expect(outcome.output.contains("Tagged v9.8.7."))
        #expect(outcome.output.hasSuffix("tags: v9.8.7\n"))
    }

    @Test(arguments: [
        ("9.8", "", "'9.8' is not a semantic version"),
        ("09.8.7", "", "'09.8.7' is not a semantic version"),
        ("9.8.6", "", "CHANGELOG.md has no entry '## [9.8.6] - "),
        ("9.8.7", "echo more >>CHANGELOG.md", "The working tree has changes."),
        ("9.8.7", "touch new", "The working tree has changes."),
        ("9.8.7", "git tag v9.8.7", "The tag v9.8.7 exists."),
        ("9.8.7", "sed -i s/9.8.7/9.8.5/ Sources/*/Version.swift; git commit -qam x", "names another version"),
        ("9.8.7", "echo test-all >failing; git add .; git commit -qm x", "The tests fail, so v9.8.7 is not tagged."),
        ("9.8.7", "echo check-package >failing; git add .; git commit -qm x", "The package does not work"),
    ]) func refuses(version: String, after change: String, reason: String) async throws {
        let outcome = try await release(version, after: change)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("error: ") && outcome.errors.contains(reason), "\(outcome.errors)")
        #expect(outcome.output.hasSuffix(change == "git tag v9.8.7" ? "tags: v9.8.7\n" : "tags:\n"))
    }

    /// Releases a version of a repository that is ready for 9.8.7, after a change of it.
    private func release(_ version: String, after change: String = "") async throws -> Executable.Outcome {
        let folder = try TemporaryFolder()
        let script = """
            set -e
            mkdir -p '\(folder.path("repository"))'
            cd '\(folder.path("repository"))'
            export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@localhost
            export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@localhost
            mkdir -p scripts Sources/BridgeServer
            cp '\(Repository.file("scripts/release").path)' scripts/
            printf '\\tstatic let version = "9.8.7"\\n' >Sources/BridgeServer/Version.swift
            printf '## [9.8.7] - 2026-11-25\\n' >CHANGELOG.md
            printf '/made\\n' >.gitignore
            printf '%%:\\n\\t@echo $@ >>made; ! grep -qsx $@ failing\\n' >Makefile
            git init -q; git add .; git commit -qm Ready
            \(change.isEmpty ? ":" : change)
            status=0; scripts/release '\(version)' || status=$?
            [ ! -e made ] || echo made: $(cat made)
            echo tags: $(git tag)
            exit $status
            """
        return try await Executable.run([], by: script)
    }
}
