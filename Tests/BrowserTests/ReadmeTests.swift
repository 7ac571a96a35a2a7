import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import Foundation
import TestSupport
import Testing

/// Checks that the README and the guides show real output.
@MainActor @Suite(.timeLimit(.minutes(4)), .browserTurns) struct ReadmeTests {
    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: Repository.file(name)), as: UTF8.self)
    }

    /// A record without the parts that differ from run to run.
    private func normalized(_ line: some StringProtocol) -> String {
        String(line)
            .replacing(/"(record|durationMs)":[0-9.]+/) { "\"\($0.1)\":0" }
            .replacing(/"time":"[^"]*"/, with: "\"time\":\"\"")
            .replacing(/http:\/\/[a-z0-9.]+:[0-9]+/, with: "http://daemon")
            .replacing(/register\(\\"[0-9a-f]+\\"\)/, with: "register(token)")
    }

    /// A line of the terminal without the parts that differ from run to run.
    private func normalizedLine(_ line: some StringProtocol) -> String {
        String(line)
            .replacing(/^[0-9:.]{12}/, with: "00:00:00.000")
            .replacing(/\([0-9.]+ ms\)/, with: "(0 ms)")
            .replacing(/register\("[0-9a-f]+"\)/, with: "register(token)")
    }

    @Test func showsTheTerminalOfTheDemo() async throws {
        let shown = try text("README.md").split(separator: "\n").filter { $0.contains(/^[0-9:.]{12}  p1 |^ {14}[A-Z]/) }
        try await withDemo(in: .chromium) { demo in
            _ = try await demo.message("ActionButton")
            let page = try await demo.attached()
            page.evaluate("document.getElementById('register-push-token').click()", completion: nil)
            _ = try await demo.recorder.first { if case .result(.number(2), _, _) = $0.event { true } else { false } }
            page.evaluate("document.getElementById('undecodable').click()", completion: nil)
            _ = try await demo.recorder.first {
                if case .message(_, _, _, _, let verdict) = $0.event { verdict.reason == .undecodable } else { false }
            }
            let readable = ReadableTraffic()
            let written = demo.recorder.records
                .flatMap { readable.text($0).split(separator: "\n") }.map(normalizedLine)
            #expect(shown.count > 5)
            for line in shown { #expect(written.contains(normalizedLine(line))) }
        }
    }

    @Test func showsTheLogOfTheDemo() async throws {
        let shown = try text("docs/get-started.md").split(separator: "\n").filter { $0.hasPrefix("{\"record\"") }
            .map(normalized)
        try await withDemo(in: .chromium) { demo in
            _ = try await demo.message("ActionButton")
            let page = try await demo.attached()
            page.evaluate("document.getElementById('register-push-token').click()", completion: nil)
            _ = try await demo.recorder.first {
                if case .result(.number(2), _, _) = $0.event { true } else { false }
            }
            let written = demo.recorder.records.map { record in
                var writer = JSONWriter()
                record.write(to: &writer)
                return normalized(writer.text).replacing("\"id\":2", with: "\"id\":1")
            }
            #expect(shown.count == 4)
            for line in shown { #expect(written.contains(line)) }
        }
    }

    @Test(arguments: [
        ("AppCode", "README.md"), ("ShareSheet", "docs/write-a-handler.md"),
        ("ShareSheet", "Sources/BridgeServer/BridgeServer.docc/FirstHandler.md"),
        ("AppCode", "Sources/BridgeWebKit/BridgeWebKit.docc/FirstWebView.md"),
        ("../Tests/BrowserTests/FirstTest", "Sources/BridgeTesting/BridgeTesting.docc/FirstTest.md"),
    ])
    func showsTheCompiledSnippet(_ name: String, page: String) throws {
        // Leaves out the first line, a comment that the document has as text.
        let snippet = try text("Snippets/\(name).swift").split(separator: "\n", maxSplits: 1)[1]
            .trimmingCharacters(in: .newlines)
        #expect(try text(page).contains(snippet))
    }
}
