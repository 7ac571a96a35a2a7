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

    @Test func readsAPipeWhoseWriterComesLater() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let contents = Array(String(repeating: "0123456789", count: 20_000).utf8)
        async let read = offThread { Result { try InputFile.contents(ofPath: pipe) } }
        try await offThread {
            let writer = FileHandle(forWritingAtPath: pipe)
            try? writer?.write(contentsOf: contents)
            try? writer?.close()
        }
        #expect(try await read.get() == contents)
    }

    @Test func saysThatNobodyWritesIntoAPipe() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let error = #expect(throws: InputFileError.self) {
            try InputFile.contents(ofPath: folder.path("pipe"), patience: .milliseconds(20))
        }
        #expect(error?.reason == "it is a pipe, and nobody has written into it for 0.02 seconds")
    }
}
