import Foundation
import Testing

@testable import EmulatedApp

/// Checks that docs/components.md describes every built-in component. With `BRIDGED_WRITE_DOCS=1` it is updated instead.
@MainActor @Suite(.timeLimit(.minutes(4))) struct ComponentDocumentationTests {
    private static let mark = "swift test --filter ComponentDocumentationTests writes them -->\n\n"

    @Test func describesEveryBuiltInComponent() throws {
        let expected = ComponentTable.markdown(BridgeComponent.builtIn)
        let text = try DocumentedExamples.text(of: "docs/components.md")
        let parts = text.components(separatedBy: Self.mark)
        try #require(parts.count == 2)
        if ProcessInfo.processInfo.environment["BRIDGED_WRITE_DOCS"] != nil {
            try DocumentedExamples.write(parts[0] + Self.mark + expected, to: "docs/components.md")
        } else {
            #expect(parts[1] == expected)
        }
    }
}
