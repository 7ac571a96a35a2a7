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

    /// Each code that a method may return has an entry in the section to which `error.data.see` leads.
    @Test func explainEveryErrorCode() async throws {
        let fixture = try await CommandFixture()
        let document = try JSON.parse(try await HTTPClient.request(path: "/openrpc.json", port: fixture.port).body)
        let entries = try section("## Errors in results", of: "docs/protocol.md").matches(of: /(?m)^- (-?\d+): ./)
        let explained = [
            "docs/protocol.md#errors-in-results": Set(entries.map { String($0.1) }),
            "docs/control.md#errors": Set(
                try section("### Errors", of: "docs/control.md").matches(of: /-?\d+/).map { String($0.0) }),
        ]
        let errors = document["methods"]?.elements.flatMap { $0["errors"]?.elements ?? [] } ?? []
        let codes = Set(errors.compactMap { $0["code"]?.wholeNumber })
        #expect(codes.count > 5)
        for code in codes {
            let page = "docs/" + RPCError.Code(rawValue: code).page
            #expect(explained[page]?.contains("\(code)") == true, "\(page) does not explain \(code).")
        }
    }

    /// The text between a heading and the next one.
    private func section(_ heading: String, of document: String) throws -> String {
        let parts = try text(document).components(separatedBy: "\n\(heading)\n")
        return try #require(parts.dropFirst().first?.components(separatedBy: "\n#").first)
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
