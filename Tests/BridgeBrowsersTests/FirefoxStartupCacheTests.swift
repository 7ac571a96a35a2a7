import BridgeProcesses
import Foundation
import TestSupport
import Testing

@testable import BridgeBrowsers

/// What one Firefox has compiled, the next one gets.
@Suite struct FirefoxStartupCacheTests {
    private let folder: TemporaryFolder
    private let cache: FirefoxStartupCache

    init() throws {
        folder = try TemporaryFolder()
        cache = FirefoxStartupCache(folder: URL(fileURLWithPath: folder.path("cache/bridged/firefox")))
    }

    /// Makes a profile as Firefox leaves it.
    private func profile(
        _ name: String, version: String = "1", compiled: String = "code", files: [String] = ["scriptCache.bin"],
        age: TimeInterval = 60
    ) throws -> URL {
        let profile = URL(fileURLWithPath: folder.path(name))
        let compiledFolder = profile.appendingPathComponent("startupCache")
        try FileManager.default.createDirectory(at: compiledFolder, withIntermediateDirectories: true)
        try Data(version.utf8).write(to: profile.appendingPathComponent("compatibility.ini"))
        for file in files + ["startupCache.8.little"] {
            let url = compiledFolder.appendingPathComponent(file)
            try Data(compiled.utf8).write(to: url)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: url.path)
        }
        return profile
    }

    /// Returns what a new profile gets: the version, and what was compiled.
    private func restored() throws -> [String]? {
        let fresh = try FileManager.default.makeTemporaryFolder("profile")
        defer { try? FileManager.default.removeItem(at: fresh) }
        cache.restore(to: fresh)
        let names = try FileManager.default.contentsOfDirectory(atPath: fresh.path)
        guard !names.isEmpty else { return nil }
        return try ["compatibility.ini", "startupCache/scriptCache.bin", "startupCache/startupCache.8.little"].map {
            String(decoding: try Data(contentsOf: fresh.appendingPathComponent($0)), as: UTF8.self)
        }
    }

    @Test func nextProfileGetsWhatWasCompiled() throws {
        #expect(try restored() == nil)
        cache.keep(from: try profile("first"))
        #expect(try restored() == ["1", "code", "code"])
    }

    @Test func anotherVersionTakesThePlace() throws {
        cache.keep(from: try profile("first"))
        cache.keep(from: try profile("same", compiled: "other code"))
        #expect(try restored() == ["1", "code", "code"])
        cache.keep(from: try profile("newer", version: "2", compiled: "new code"))
        #expect(try restored() == ["2", "new code", "new code"])
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("cache/bridged"))
        #expect(left == ["firefox"])
    }

    /// Firefox may be killed before it has written everything, or while it writes.
    @Test func incompleteFilesAreNotKept() throws {
        cache.keep(from: try profile("early", files: []))
        cache.keep(from: try profile("writing", age: 0))
        #expect(try restored() == nil)
    }

    @Test func profileStaysEmpty_ifTheCacheIsBroken() throws {
        cache.keep(from: try profile("first"))
        try FileManager.default.removeItem(atPath: folder.path("cache/bridged/firefox/startupCache"))
        #expect(try restored() == nil)
    }
}
