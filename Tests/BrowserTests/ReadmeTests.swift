import BridgeProtocol
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// What the README shows is what really comes out.
@MainActor @Suite(.timeLimit(.minutes(1)), .browserTurns) struct ReadmeTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: Self.root.appendingPathComponent(name)), as: UTF8.self)
    }

    /// A record without what differs from run to run.
    private func normalized(_ line: some StringProtocol) -> String {
        String(line)
            .replacing(/"(record|durationMs)":[0-9.]+/) { "\"\($0.1)\":0" }
            .replacing(/"time":"[^"]*"/, with: "\"time\":\"\"")
            .replacing(/http:\/\/[a-z0-9.]+:[0-9]+/, with: "http://daemon")
            .replacing(/register\(\\"[0-9a-f]+\\"\)/, with: "register(token)")
    }

    @Test func showsTheLogOfTheDemo() async throws {
        let shown = try text("README.md").split(separator: "\n").filter { $0.hasPrefix("{\"record\"") }.map(normalized)
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

    @Test(arguments: [("ShareSheet", "README.md"), ("AppCode", "README.md"), ("DeviceObject", "docs/android.md")])
    func showTheSnippetThatIsCompiled(_ name: String, page: String) throws {
        // The first line says what it is about, and is the page's own text there.
        let snippet = try text("Snippets/\(name).swift").split(separator: "\n", maxSplits: 1)[1]
            .trimmingCharacters(in: .newlines)
        #expect(try text(page).contains(snippet))
    }
}
