import Foundation
import TestSupport
import Testing

/// A run that covers nothing fails, and says why.
struct SelectionTests {
    @Test func failsForANameThatNoEngineHas() throws {
        let selection = Selection(environment: ["BRIDGED_ENGINES": "webkitgtk"])
        let mistake = #expect(throws: RecordingFolder.Mistake.self) { try selection.engines() }
        #expect(mistake?.description.contains("There are chromium, firefox, webKitGTK.") == true)
    }

    @Test(arguments: ["", "post/nothing-like-this", "post/primitive-*,reply/nowhere-*"])
    func failsForAPatternThatMatchesNoCase(_ patterns: String) throws {
        let selection = Selection(environment: ["BRIDGED_CASES": patterns])
        let cases = try Recordings.all()
        #expect(throws: RecordingFolder.Mistake.self) { try selection.cases(of: cases) }
    }

    @Test func selectsEverything_ifAskedTo() throws {
        let selection = Selection(environment: ["BRIDGED_CONFORMANCE": "1"])
        #expect(try selection.engines().count == 3)
        let cases = try Recordings.all()
        #expect(try selection.cases(of: cases).count == cases.count)
    }

    @Test(arguments: Recordings.counts.keys.sorted())
    func failsIfARecordingIsMissing(_ name: String) throws {
        let copy = try copyOfRecordings()
        defer { try? FileManager.default.removeItem(at: copy) }
        let folder = RecordingFolder(own: copy, counts: Recordings.counts, other: nil)
        #expect(try folder.files().count == Recordings.counts.count)
        try FileManager.default.removeItem(at: copy.appendingPathComponent("\(name).json"))
        let mistake = #expect(throws: RecordingFolder.Mistake.self) { try Recordings.all(in: folder) }
        #expect(mistake?.description.contains("\(name).json is missing") == true)
    }

    @Test func failsIfARecordingHasFewerCases_orNobodyHasCountedIt() throws {
        let copy = try copyOfRecordings()
        defer { try? FileManager.default.removeItem(at: copy) }
        let folder = RecordingFolder(own: copy, counts: Recordings.counts, other: nil)
        try Data("[]".utf8).write(to: copy.appendingPathComponent("world.json"))
        #expect(throws: RecordingFolder.Mistake.self) { try Recordings.all(in: folder) }
        try Data("[]".utf8).write(to: copy.appendingPathComponent("another.json"))
        #expect(throws: RecordingFolder.Mistake.self) { try folder.files() }
    }

    @Test func failsIfTheEnvironmentNamesAnEmptyFolder() {
        let folder = RecordingFolder(own: Recordings.folder.url, counts: Recordings.counts, other: "/nowhere")
        #expect(throws: RecordingFolder.Mistake.self) { try Recordings.all(in: folder) }
    }

    private func copyOfRecordings() throws -> URL {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("recordings-\(UUID().uuidString)")
        let own = Recordings.repository.appendingPathComponent("Tests/ConformanceTests/Recordings")
        try FileManager.default.copyItem(at: own, to: copy)
        return copy
    }
}
