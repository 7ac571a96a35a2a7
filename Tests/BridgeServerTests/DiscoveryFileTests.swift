import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import BridgeServer

/// The discovery file is in a folder that no other user can read.
@Suite struct DiscoveryFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write() throws -> DiscoveryFile {
        try DiscoveryFile(
            port: 2734, url: "http://127.0.0.1:2734/", token: AccessToken(), pageToken: nil,
            environment: ["XDG_RUNTIME_DIR": folder.path("")])
    }

    private func mode(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    }

    @Test func makesAnExistingFolderPrivate() throws {
        let place = folder.path("bridged")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        chmod(place, 0o777)
        let file = try write()
        #expect(try mode(place) == 0o700 && mode(file.path) == 0o600)
    }

    /// Commands take a file without a lock for that of a killed daemon.
    @Test func locksTheFileWhileItExists() throws {
        let file = try write()
        let descriptor = open(file.path, O_RDONLY)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK)
        file.remove()
        #expect(flock(descriptor, LOCK_SH | LOCK_NB) == 0)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func removesTheFilesOfKilledDaemons() throws {
        let first = try write()
        let place = folder.path("bridged")
        try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(place)/4000.json"))
        let second = try DiscoveryFile(
            port: 4001, url: "http://127.0.0.1:4001/", token: AccessToken(), pageToken: nil,
            environment: ["XDG_RUNTIME_DIR": folder.path("")])
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).sorted() == ["2734.json", "4001.json"])
        first.remove()
        second.remove()
    }

    /// A daemon that gets a signal while it writes its file leaves it under another name.
    @Test func removesTheUnfinishedFilesOfKilledDaemons() throws {
        let place = folder.path("bridged")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        // No process has this id: it is greater than the greatest of Linux.
        let left = ["4000.json.2000000000", "2734.json.2000000001"]
        let others = ["4000.json.\(getppid())", "4000.json.backup", "notes.2000000000"]
        for name in left + others { try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(place)/\(name)")) }
        let file = try write()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place).sorted() == (others + ["2734.json"]).sorted())
        file.remove()
    }

    @Test func leavesNothingBehind_ifItCannotBeWritten() throws {
        let place = folder.path("bridged")
        try FileManager.default.createDirectory(atPath: "\(place)/2734.json", withIntermediateDirectories: true)
        #expect(throws: DiscoveryFileError.self) { try write() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["2734.json"])
    }

    /// Two daemons may have one port, at 127.0.0.1 and at ::1.
    @Test func leavesTheFileOfAnotherDaemonAtItsPort() throws {
        let first = try write()
        let second = try write()
        first.remove()
        #expect(FileManager.default.fileExists(atPath: second.path))
        second.remove()
        #expect(!FileManager.default.fileExists(atPath: second.path))
    }

    @Test func ignoresPipesInTheFolder() throws {
        let place = folder.path("bridged")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        #expect(mkfifo("\(place)/1.json", 0o600) == 0)
        let file = try write()
        #expect(FileManager.default.fileExists(atPath: "\(place)/1.json"))
        file.remove()
    }

    /// In a temporary folder, another user could make the link lead to a folder that they can read.
    @Test func refusesFolderThatIsALink() throws {
        try FileManager.default.createDirectory(atPath: folder.path("elsewhere"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("bridged"), withDestinationPath: folder.path("elsewhere"))
        let error = #expect(throws: DiscoveryFileError.self) { _ = try write() }
        #expect(error?.description.contains(folder.path("bridged")) == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("elsewhere")).isEmpty)
    }

    @Test(.enabled(if: getuid() == 0, "only root can give a folder away"))
    func refusesFolderOfAnotherUser() throws {
        let place = folder.path("bridged")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        chown(place, 65_534, 65_534)
        #expect(throws: DiscoveryFileError.self) { _ = try write() }
    }

    @Test func doesNotWriteThroughALink() throws {
        let place = folder.path("bridged")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(place)/2734.json", withDestinationPath: folder.path("stolen"))
        let file = try write()
        #expect(!FileManager.default.fileExists(atPath: folder.path("stolen")))
        #expect(
            try FileManager.default.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType == .typeRegular)
    }
}
