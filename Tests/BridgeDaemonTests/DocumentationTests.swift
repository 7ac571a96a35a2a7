import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// The documents mention every method, error code and command.
@Suite(.timeLimit(.minutes(4))) struct DocumentationTests {
    private func text(_ name: String) throws -> String {
        try String(contentsOf: Repository.file(name), encoding: .utf8)
    }

    @Test func mentionEveryMethod() async throws {
        let fixture = try await CommandFixture()
        let document = try JSON.parse(try await HTTPClient.request(path: "/openrpc.json", port: fixture.port).body)
        let text = try text("docs/control.md")
        var count = 0
        document["methods"]?.forEachElement { method in
            let name = method["name"]?.string ?? ""
            #expect(text.contains("`\(name)`"))
            count += 1
        }
        #expect(count > 10)
    }

    @Test func mentionEveryErrorCode() async throws {
        let fixture = try await CommandFixture()
        let document = try JSON.parse(try await HTTPClient.request(path: "/openrpc.json", port: fixture.port).body)
        let text = try text("docs/control.md")
        document["methods"]?.forEachElement { method in
            method["errors"]?.forEachElement { error in
                let code = Int(error["code"]?.number ?? 0)
                #expect(text.contains("\(code)"))
            }
        }
    }

    @Test func mentionEveryClientCommand_withItsExitCodes() async throws {
        let help = try await Executable.run(["--help"]).output
        let commands = help.matches(of: /(?m)^  ([a-z]+)(?: \(default\))? {2,}[A-Z]/).map { String($0.1) }
        let text = try text("docs/command-line.md")
        #expect(commands.contains("doctor"))
        for command in commands where help.contains("  \(command) ") && command != "serve" {
            let own = try await Executable.run([command, "--help"]).output
            guard own.contains("--url") else { continue }
            #expect(text.contains("`\(command)`"))
            #expect(own.contains("Examples:") && own.replacing("\n", with: " ").contains("Exit codes: "))
        }
    }
}
