import Foundation
import Testing

/// What is known to differ is written down where users look.
struct FidelityTests {
    @Test func documentListsKnownCases() throws {
        let document = try FidelityDocument.read()
        let expected = try document.with(KnownCases.read())
        if ProcessInfo.processInfo.environment["BRIDGED_WRITE_DOCS"] != nil { try expected.write() }
        #expect(
            try FidelityDocument.read().text == expected.text,
            "docs/fidelity.md is behind known.json: run BRIDGED_WRITE_DOCS=1 swift test --filter FidelityTests")
    }

    @Test func everyKnownCaseHasOneCause() throws {
        let patterns = try KnownCases.read().causes.flatMap { cause in
            [cause.all, cause.chromium, cause.firefox].flatMap { $0 ?? [] }.map { ($0, cause.cause) }
        }
        let several = Dictionary(grouping: patterns) { $0.0 }.filter { Set($0.value.map { $0.1 }).count > 1 }.keys
            .sorted()
        #expect(several == [])
    }
}
