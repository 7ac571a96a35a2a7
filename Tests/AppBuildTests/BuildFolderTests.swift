import Foundation
import Testing

@testable import AppBuild

struct BuildFolderTests {
    /// SwiftPM would go on with the plan of the package that it has built last.
    @Test func planOfAnotherPackage_isForgotten_andThatOfTheSameStays() throws {
        let fixture = try Fixture(["debug.yaml": "a plan", "debug/.keep": ""])
        let build = try BuildFolder(fixture.folder) {}
        #expect(!build.isNew)
        try build.use(for: URL(fileURLWithPath: "/a"))
        #expect(!FileManager.default.fileExists(atPath: fixture.path("debug.yaml")))
        try fixture.write("the plan of a", to: "debug.yaml")
        try build.use(for: URL(fileURLWithPath: "/a"))
        #expect(FileManager.default.fileExists(atPath: fixture.path("debug.yaml")))
        try build.use(for: URL(fileURLWithPath: "/b"))
        #expect(!FileManager.default.fileExists(atPath: fixture.path("debug.yaml")))
    }

    @Test func secondBuild_waitsForTheFirst() async throws {
        let fixture = try Fixture([:])
        let folder = fixture.folder.appendingPathComponent("build")
        let first = try BuildFolder(folder) { Issue.record("another process builds") }
        #expect(first.isNew)
        let (waits, wait) = AsyncStream.makeStream(of: Void.self)
        let second = Task.detached { _ = try BuildFolder(folder) { wait.yield() } }
        for await _ in waits { break }
        first.unlock()
        try await second.value
    }
}
