import BridgeClient
import Foundation
import Testing

/// How commands find the daemon to call.
@Suite struct DaemonFinderTests {
    /// Makes a runtime folder with discovery files of daemons on these ports.
    /// - Parameter areRunning: whether the files are locked, as those of running daemons are.
    private func withFinder(_ ports: [Int], areRunning: Bool = true, _ body: (DaemonFinder) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let place = folder.appendingPathComponent("bridged").path
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        var locks: [FileHandle] = []
        for port in ports {
            let text = """
                {"url":"http://127.0.0.1:\(port)/","pid":\(getpid()),"token":"t","startedAt":"2026-11-21T00:00:00.000000Z"}
                """
            try text.write(toFile: "\(place)/\(port).json", atomically: true, encoding: .utf8)
            let file = try #require(FileHandle(forReadingAtPath: "\(place)/\(port).json"))
            if areRunning { flock(file.fileDescriptor, LOCK_EX) }
            locks.append(file)
        }
        defer { locks.forEach { try? $0.close() } }
        try body(DaemonFinder(environment: ["XDG_RUNTIME_DIR": folder.path]))
    }

    @Test(arguments: zip([[40_001], [2734, 40_001, 40_002]], [40_001, 2734]))
    func findsTheOnlyDaemon_orTheOneOnTheUsualPort(_ ports: [Int], expected: Int) throws {
        try withFinder(ports) { finder in
            let found = try finder.find(url: nil)
            #expect(found.url == "http://127.0.0.1:\(expected)/")
        }
    }

    /// The process id may belong to another program by now. Here it is that of this process.
    @Test func ignoresTheFileOfAKilledDaemon() throws {
        try withFinder([2734, 40_001], areRunning: false) { finder in
            #expect(finder.running.isEmpty)
        }
    }

    @Test func ignoresPipes() throws {
        try withFinder([40_001]) { finder in
            #expect(mkfifo("\(finder.folder)/1.json", 0o600) == 0)
            #expect(finder.running.count == 1)
        }
    }

    /// Anything can lie in the folder, even with a lock.
    @Test func ignoresFilesThatAreNoDaemons_andNamesThem() throws {
        let files: [String: String] = [
            "text": "hello", "number": "7", "empty": "", "list": "[1]",
            "noToken": #"{"url":"http://localhost:1/","pid":1}"#, "noURL": #"{"url":"nonsense","pid":1,"token":"t"}"#,
            "noPort": #"{"url":"http://localhost:1e9/","pid":1,"token":"t"}"#,
            "types": #"{"url":7,"pid":"x","token":[]}"#, "deep": String(repeating: "[", count: 50_000),
        ]
        try withFinder([40_001]) { finder in
            var locks: [FileHandle] = []
            for (name, text) in files {
                try text.write(toFile: "\(finder.folder)/\(name).json", atomically: true, encoding: .utf8)
            }
            // A file with a hole, larger than memory.
            #expect(FileManager.default.createFile(atPath: "\(finder.folder)/huge.json", contents: nil))
            #expect(truncate("\(finder.folder)/huge.json", 1 << 40) == 0)
            for name in files.keys.sorted() + ["huge"] {
                let file = try #require(FileHandle(forReadingAtPath: "\(finder.folder)/\(name).json"))
                flock(file.fileDescriptor, LOCK_EX)
                locks.append(file)
            }
            try FileManager.default.createDirectory(
                atPath: "\(finder.folder)/folder.json", withIntermediateDirectories: true)
            #expect(try finder.find(url: nil).url == "http://127.0.0.1:40001/")
            let error = #expect(throws: ClientError.self) { try finder.find(url: "http://localhost:9/") }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains("These files in \(finder.folder) are not those of daemons: "), "\(text)")
            #expect(text.contains("deep.json, ") && text.contains("huge.json") && text.utf8.count < 1_000, "\(text)")
            locks.forEach { try? $0.close() }
        }
    }

    /// A file there could lead to a daemon of another user.
    @Test func ignoresAFolderThatOthersCanWriteTo_andSaysSo() throws {
        try withFinder([40_001]) { finder in
            try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: finder.folder)
            let error = try #require(throws: ClientError.self) { try finder.find(url: nil) }
            #expect("\(error)".contains("Correct it with: chmod 700 \(finder.folder)"))
        }
    }

    /// Another user could put a link in place of the folder, so that commands call a daemon of that user.
    @Test func ignoresAFolderThatIsALink() throws {
        try withFinder([40_001]) { finder in
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: folder) }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: folder.appendingPathComponent("bridged").path,
                withDestinationPath: finder.folder)
            #expect(DaemonFinder(environment: ["XDG_RUNTIME_DIR": folder.path]).running.isEmpty)
            #expect(finder.running.count == 1)
        }
    }

    @Test func asksForAURL_ifSeveralDaemonsRun() throws {
        try withFinder(Array(40_001...40_007)) { finder in
            let error = #expect(throws: ClientError.self) { try finder.find(url: nil) }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.hasPrefix("7 daemons are running. Name one: --url http://127.0.0.1:40001/ or "))
            #expect(text.hasSuffix("--url http://127.0.0.1:40005/ or another"))
        }
    }
}
