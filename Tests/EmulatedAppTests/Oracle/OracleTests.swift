import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// Every recorded case of Hotwire Native's navigation and path configuration, as users would run them.
@Suite(.timeLimit(.minutes(2))) struct OracleTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/oracle/navigation/open")

    /// Recorded for some files only; the rest says nothing of them.
    private static let details = ["transitions", "modalStyle", "dismissible"]

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: folder.path), "the recordings are not here"),
        arguments: [
            "api", "historical", "matrix", "native", "paths", "properties", "query_strings", "redirects", "sequences",
            "upstream",
        ])
    func passesAllCases(of name: String) async throws {
        let file = Self.folder.appendingPathComponent("\(name).json")
        let cases = elements(try JSON.parse(String(decoding: Data(contentsOf: file), as: UTF8.self)))
        let outcome = try await Executable.run(["route", "--steps", file.path])
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let results = try outcome.output.split(separator: "\n").map { try JSON.parse($0) }
        #expect(results.count == cases.count)
        let recordsDetails = ["upstream", "redirects", "historical", "properties", "api"].contains(name)
        let failed = zip(cases, results).filter { !passes($0, $1, recordsDetails) }.map { $0.0["id"]?.string ?? "?" }
        print("\(name): \(cases.count - failed.count)/\(cases.count)")
        #expect(failed == [])
    }

    private func passes(_ recorded: JSON, _ result: JSON, _ recordsDetails: Bool) -> Bool {
        func without(_ state: JSON) -> JSONTree {
            JSONTree(state).without(recordsDetails ? [] : Self.details)
        }
        func same(_ keys: String...) -> Bool {
            keys.allSatisfy { recorded[$0].map(JSONTree.init) == result[$0].map(JSONTree.init) }
        }
        guard same("id") else { return false }
        guard recorded["lookups"] == nil else { return same("ruleCount", "settings", "lookups") }
        guard let initial = recorded["initial"], let first = result["initial"], let states = result["states"],
            let expected = recorded["expect"]
        else { return false }
        return without(initial) == without(first)
            && elements(expected).map(without) == elements(states).map(without)
    }

    private func elements(_ list: JSON) -> [JSON] {
        var elements: [JSON] = []
        list.forEachElement { elements.append($0) }
        return elements
    }
}
