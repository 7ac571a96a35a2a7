import BridgeProcesses
import Foundation

/// What Firefox has compiled at its start, kept for later profiles. Without it, each new profile compiles all that
/// again.
///
/// It has nothing of the pages. Firefox ignores what another version has written, and recognizes that by
/// `compatibility.ini`.
struct FirefoxStartupCache: Sendable {
    private static let version = "compatibility.ini"
    private static let compiled = "startupCache"
    /// Firefox writes this file last, some seconds after its start, under another name until it is complete.
    private static let last = "scriptCache.bin"
    /// How long the files must have been as they are. Firefox may be killed while it writes one.
    private static let age: TimeInterval = 1

    /// Nil if there is no folder for caches.
    private let folder: URL?

    init() { self.init(folder: FileManager.default.cacheFolder("firefox")) }

    init(folder: URL?) { self.folder = folder }

    /// Copies what is kept into a new profile. Firefox has not started yet.
    func restore(to profile: URL) {
        guard let folder else { return }
        do {
            try copy(from: folder, to: profile)
        } catch {
            // Nothing is kept yet, or another process replaces it now. Firefox does without.
            remove(from: profile)
        }
    }

    /// Keeps what Firefox has written, unless that is kept already. Firefox has ended.
    func keep(from profile: URL) {
        guard let folder, read(folder) != read(profile), isComplete(profile) else { return }
        let files = FileManager.default
        do {
            let parent = folder.deletingLastPathComponent()
            try files.createDirectory(
                at: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let fresh = parent.appendingPathComponent("firefox-\(UUID().uuidString)", isDirectory: true)
            try files.createDirectory(at: fresh, withIntermediateDirectories: false)
            defer { try? files.removeItem(at: fresh) }
            try copy(from: profile, to: fresh)
            try? files.removeItem(at: folder)
            // This fails if another process was faster, which does no harm.
            try files.moveItem(at: fresh, to: folder)
        } catch {
            // A full disk, or a folder that may not be written: the next start takes as long as this one.
        }
    }

    private func copy(from source: URL, to target: URL) throws {
        for name in [FirefoxStartupCache.version, FirefoxStartupCache.compiled] {
            try FileManager.default.copyItem(
                at: source.appendingPathComponent(name), to: target.appendingPathComponent(name))
        }
    }

    private func remove(from profile: URL) {
        for name in [FirefoxStartupCache.version, FirefoxStartupCache.compiled] {
            try? FileManager.default.removeItem(at: profile.appendingPathComponent(name))
        }
    }

    /// The version of Firefox that has written the files of a folder, in Firefox's own words.
    private func read(_ folder: URL) -> Data? {
        try? Data(contentsOf: folder.appendingPathComponent(FirefoxStartupCache.version))
    }

    private func isComplete(_ profile: URL) -> Bool {
        let folder = profile.appendingPathComponent(FirefoxStartupCache.compiled)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path),
            names.contains(FirefoxStartupCache.last)
        else { return false }
        return names.allSatisfy { name in
            let file = folder.appendingPathComponent(name).path
            let changed = try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
            return changed.map { Date().timeIntervalSince($0) >= FirefoxStartupCache.age } ?? false
        }
    }
}
