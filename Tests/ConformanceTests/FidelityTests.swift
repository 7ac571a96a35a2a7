import Foundation
import Testing

/// Checks that docs/notes/fidelity.md lists the known differences.
struct FidelityTests {
    @Test func documentListsKnownCases() throws {
        let document = try FidelityDocument.read()
        let expected = try document.with(KnownCases.read())
        if ProcessInfo.processInfo.environment["BRIDGED_WRITE_DOCS"] != nil { try expected.write() }
        #expect(
            try FidelityDocument.read().text == expected.text,
            "docs/notes/fidelity.md does not match known.json. Run BRIDGED_WRITE_DOCS=1 swift test --filter FidelityTests"
        )
    }

    @Test func everyKnownCaseHasOneCause() throws {
        let patterns = try KnownCases.read().causes.flatMap { cause in
            [cause.all, cause.attached, cause.chromium, cause.firefox].flatMap { $0 ?? [] }.map { ($0, cause.cause) }
        }
        let ambiguous = Dictionary(grouping: patterns) { $0.0 }.filter { Set($0.value.map { $0.1 }).count > 1 }.keys
            .sorted()
        #expect(ambiguous == [])
    }
}
