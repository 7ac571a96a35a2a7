import Foundation
import Testing

@testable import EmulatedApp

/// Checks that examples and tables in docs/ match the real output. With `BRIDGED_WRITE_DOCS=1` they are updated instead.
@Suite(.serialized, .timeLimit(.minutes(4))) struct DocumentationTests {
    private static let writes = ProcessInfo.processInfo.environment["BRIDGED_WRITE_DOCS"] != nil

    @Test(arguments: ["docs/path-configuration.md", "docs/navigation.md"])
    func examplesSayWhatComesOut(_ name: String) async throws {
        var text = try DocumentedExamples.text(of: name)
        let examples = DocumentedExamples(in: text)
        #expect(!examples.commands.isEmpty)
        for (shown, real) in zip(examples.commands, try await examples.run()) {
            #expect(Self.writes || shown.output == real.output, "\(shown.line)")
            text.replace("\(shown.line)\n\(shown.output)```", with: "\(real.line)\n\(real.output)```")
        }
        if Self.writes { try DocumentedExamples.write(text, to: name) }
    }

    @Test func tableIsThatOfTheCode() throws {
        let framework = Framework.ios13
        var text = try DocumentedExamples.text(of: "docs/navigation.md")
        let table = NavigationTable.markdown(framework)
        let mark = "<!-- table: \(framework.name) -->\n\n"
        let shown =
            try #require(text.components(separatedBy: mark).dropFirst().first)
            .components(separatedBy: "\n\n").first ?? ""
        #expect(Self.writes || shown == table)
        guard Self.writes else { return }
        text.replace(mark + (shown.hasPrefix("|") ? shown : ""), with: mark + table)
        try DocumentedExamples.write(text, to: "docs/navigation.md")
    }
}
