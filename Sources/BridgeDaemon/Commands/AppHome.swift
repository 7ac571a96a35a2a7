import AppBuild
import BridgeProcesses
import Foundation

/// The folder in which an app keeps its files, as each app on iOS has one of its own: settings, caches, cookies, documents.
///
/// Foundation on Linux takes the user's folders for them, which all apps share.
struct AppHome {
    let folder: URL

    /// The folder of an app that runs for its developer. It stays from run to run.
    /// - Throws: `CommandFailure` if there is no place for it.
    static func lasting(of executable: URL) throws -> AppHome {
        guard let cache = FileManager.default.cacheFolder("apps") else {
            throw CommandFailure("There is no folder for the app's files: set HOME or XDG_CACHE_HOME.", .failed)
        }
        let name = executable.deletingPathExtension().lastPathComponent
        let key = StableHash.of(Array(executable.standardizedFileURL.path.utf8))
        return AppHome(folder: cache.appendingPathComponent("homes/\(name)-\(key)", isDirectory: true))
    }

    /// The variables by which Foundation finds the folder. `HOME` stays, because the app's process starts the browser of a
    /// test.
    var environment: [String: String] {
        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
        return [
            // Of documents, settings, and `NSHomeDirectory()`.
            "CFFIXED_USER_HOME": folder.path,
            "XDG_CACHE_HOME": path("Library/Caches"),
            // Of application support, and of cookies.
            "XDG_DATA_HOME": path("Library/Application Support"),
            "XDG_CONFIG_HOME": path("Library/Preferences"),
        ]
    }

    /// Makes the folders, which exist on iOS before an app starts.
    func make() throws {
        for name in ["Documents", "Library/Caches", "Library/Application Support", "Library/Preferences"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name, isDirectory: true), withIntermediateDirectories: true)
        }
    }
}
