import Foundation

/// The folder in which all apps are built, so that bridged's own modules are compiled once and not for each app.
///
/// It has one user at a time: another process that wants to build waits for the end of this one.
struct BuildFolder {
    let folder: URL
    private let lock: FolderLock

    /// Whether nothing has been built in it yet.
    let isNew: Bool

    /// - Parameter onWait: called if another process builds, before waiting for its end.
    init(_ folder: URL, onWait: () -> Void) throws(BuildFailure) {
        self.folder = folder
        isNew = !FileManager.default.fileExists(atPath: folder.appendingPathComponent("debug").path)
        lock = try FolderLock(folder, onWait: onWait)
    }

    func unlock() { lock.unlock() }

    /// Whether a module was compiled for any app.
    static func hasCompiled(_ module: String, in folder: URL) -> Bool {
        FileManager.default.fileExists(
            atPath: folder.appendingPathComponent("debug/Modules/\(module).swiftmodule").path)
    }

    /// Lets SwiftPM plan anew if it has built another package last: it would go on with that package's plan.
    func use(for package: URL) throws(BuildFailure) {
        let file = folder.appendingPathComponent("bridged.package")
        let path = Data(package.path.utf8)
        guard (try? Data(contentsOf: file)) != path else { return }
        try? FileManager.default.removeItem(at: folder.appendingPathComponent("debug.yaml"))
        try Files.write(path, to: file)
    }
}
