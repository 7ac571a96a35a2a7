import Foundation
import Testing

@testable import AppBuild

struct BuildInputsTests {
    @Test func fingerprintChangesWithFilesAndTexts() throws {
        let fixture = try Fixture(["Sources/A.swift": "let a = 1", "Info.plist": "x"])
        var inputs = BuildInputs(
            folders: [fixture.folder.appendingPathComponent("Sources")],
            files: [fixture.folder.appendingPathComponent("Info.plist")], texts: ["a manifest"])
        var seen: Set = [inputs.fingerprint]
        #expect(!seen.insert(inputs.fingerprint).inserted)
        try fixture.write("let a = 23", to: "Sources/A.swift")
        #expect(seen.insert(inputs.fingerprint).inserted)
        // A file of the same size that was written again.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: fixture.path("Sources/A.swift"))
        #expect(seen.insert(inputs.fingerprint).inserted)
        try fixture.write("", to: "Sources/B.swift")
        #expect(seen.insert(inputs.fingerprint).inserted)
        try FileManager.default.removeItem(atPath: fixture.path("Info.plist"))
        #expect(seen.insert(inputs.fingerprint).inserted)
        inputs.texts = ["another manifest"]
        #expect(seen.insert(inputs.fingerprint).inserted)
    }
}
