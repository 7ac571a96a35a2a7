import BridgeProtocol
import EmulatedApp
import Foundation
import TestSupport
import Testing

/// Runs every recorded case of Hotwire Native's navigation and path configuration, as `bridged route --steps` does. They were
/// recorded with the sources that `ios@1.3-beta` emulates.
@Suite(.timeLimit(.minutes(2))) struct RecordedNavigationTests {
    /// The number of cases in each file of this repository.
    private static let counts = [
        "api": 98, "historical": 109, "matrix": 514, "native": 201, "paths": 32, "properties": 151,
        "query_strings": 239, "redirects": 213, "sequences": 205, "upstream": 17,
    ]
    /// The folder that the environment's `BRIDGED_NAVIGATION_ORACLE` names, else this repository's.
    private static let folder = RecordingFolder(
        besideTest: #filePath, counts: counts, variable: "BRIDGED_NAVIGATION_ORACLE")
    /// Members that only some of the files record. The other files say nothing about them.
    private static let details = ["transitions", "modalStyle", "dismissible"]

    @Test func findsEveryRecording() throws {
        #expect(try Self.folder.files().count > 0)
    }

    @Test(arguments: (try? folder.files()) ?? [])
    func passesAllCases(in file: URL) async throws {
        let cases = elements(try JSON.parse(String(decoding: Data(contentsOf: file), as: UTF8.self)))
        try Self.folder.check(cases.count, in: file)
        let name = file.deletingPathExtension().lastPathComponent
        let outcome = try await Executable.run(["route", "--steps", file.path, "--framework", Framework.ios13Beta.name])
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let results = try outcome.output.split(separator: "\n").map { try JSON.parse($0) }
        #expect(results.count == cases.count)
        let recordsDetails = ["upstream", "redirects", "historical", "properties", "api"].contains(name)
        let failed = zip(cases, results).filter { !passes($0, $1, recordsDetails) }.map { $0.0["id"]?.string ?? "?" }
        print("\(name): \(cases.count - failed.count)/\(cases.count)")
        #expect(failed == [])
    }

    private func passes(_ recorded: JSON, _ result: JSON, _ recordsDetails: Bool) -> Bool {
        func without(_ state: JSON) -> JSONValue {
            var state = JSONValue(state)
            for key in recordsDetails ? [] : Self.details { state[key] = nil }
            return state
        }
        func same(_ keys: String...) -> Bool {
            keys.allSatisfy { recorded[$0].map(JSONValue.init) == result[$0].map(JSONValue.init) }
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
