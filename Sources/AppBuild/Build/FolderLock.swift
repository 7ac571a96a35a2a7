import Foundation

/// A folder that one process at a time may use. Another one that wants it waits for the end of this one.
final class FolderLock {
    private let file: Int32

    /// - Parameter onWait: called if another process has the folder, before waiting for its end.
    init(_ folder: URL, onWait: () -> Void) throws(BuildFailure) {
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("bridged.lock").path
        // A program that this process starts must not keep the lock.
        file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BuildFailure("\(path) cannot be written: \(String(cString: strerror(errno)))") }
        guard flock(file, LOCK_EX | LOCK_NB) != 0 else { return }
        onWait()
        while flock(file, LOCK_EX) != 0, errno == EINTR {}
    }

    /// Ends the use. Without this call it may end anywhere after the last mention of this object.
    func unlock() { flock(file, LOCK_UN) }

    deinit { close(file) }
}
