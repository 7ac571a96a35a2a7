import BridgeInput
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(4))) struct InputFileTests {
    @Test func readsAFile() throws {
        let folder = try TemporaryFolder()
        let contents = Array(String(repeating: "0123456789", count: 20_000).utf8)
        try Data(contents).write(to: URL(fileURLWithPath: folder.path("file")))
        #expect(try InputFile.contents(ofPath: folder.path("file")) == contents)
        #expect(try InputFile.contents(ofPath: "/dev/null") == [])
    }

    @Test func saysWhyAFileIsNotRead() throws {
        let folder = try TemporaryFolder()
        for (path, reason) in [
            (folder.path(""), "Is a directory"), (folder.path("none"), "No such file or directory"),
            ("/dev/zero", "it has more than 100000 bytes"),
        ] {
            let error = #expect(throws: InputFileError.self) { try InputFile.contents(ofPath: path, limit: 100_000) }
            #expect(error?.reason == reason)
        }
    }
}
