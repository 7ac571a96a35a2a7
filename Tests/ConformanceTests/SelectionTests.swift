import Foundation
import TestSupport
import Testing

/// Checks that a run that covers nothing fails with an explanation.
struct SelectionTests {
    @Test func unknownEngine_fails() throws {
        let selection = Selection(environment: ["BRIDGED_ENGINES": "webkitgtk"])
        let mistake = #expect(throws: RecordingFolder.Mistake.self) { try selection.engines() }
        #expect(mistake?.description.contains("The engines are chromium, firefox, webKitGTK, drivenChromium") == true)
    }

    @Test(arguments: ["", "post/nothing-like-this", "post/primitive-*,reply/nowhere-*"])
    func patternWithoutMatch_fails(_ patterns: String) throws {
        let selection = Selection(environment: ["BRIDGED_CASES": patterns])
        let cases = try Recordings.all()
        #expect(throws: RecordingFolder.Mistake.self) { try selection.cases(of: cases) }
    }

    @Test func conformanceVariable_selectsEverything() throws {
        let selection = Selection(environment: ["BRIDGED_CONFORMANCE": "1"])
        #expect(try selection.engines().count == 3)
        let cases = try Recordings.all()
        #expect(try selection.cases(of: cases).count == cases.count)
    }

    @Test(arguments: Recordings.counts.keys.sorted())
    func missingRecording_fails(_ name: String) throws {
        let copy = try copyOfRecordings()
        defer { try? FileManager.default.removeItem(at: copy) }
        let folder = RecordingFolder(own: copy, counts: Recordings.counts, other: nil)
        #expect(try folder.files().count == Recordings.counts.count)
        try FileManager.default.removeItem(at: copy.appendingPathComponent("\(name).json"))
        let mistake = #expect(throws: RecordingFolder.Mistake.self) { try Recordings.all(in: folder) }
        #expect(mistake?.description.contains("\(name).json is missing") == true)
    }

    @Test func recordingWithFewerCases_fails_andSoDoesAnUncountedOne() throws {
        let copy = try copyOfRecordings()
        defer { try? FileManager.default.removeItem(at: copy) }
        let folder = RecordingFolder(own: copy, counts: Recordings.counts, other: nil)
        try Data("[]".utf8).write(to: copy.appendingPathComponent("world.json"))
        #expect(throws: RecordingFolder.Mistake.self) { try Recordings.all(in: folder) }
        try Data("[]".utf8).write(to: copy.appendingPathComponent("another.json"))
        #expect(throws: RecordingFolder.Mistake.self) { try folder.files() }
    }

    @Test func emptyFolder_fails() {
        let folder = RecordingFolder(own: Recordings.folder.url, counts: Recordings.counts, other: "/nowhere")
        #expect(throws: RecordingFolder.Mistake.self) { try Recordings.all(in: folder) }
    }

    private func copyOfRecordings() throws -> URL {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("recordings-\(UUID().uuidString)")
        let own = Repository.file("Tests/ConformanceTests/Recordings")
        try FileManager.default.copyItem(at: own, to: copy)
        return copy
    }
}
