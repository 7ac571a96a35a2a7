package import Foundation

extension FileManager {
    /// Makes a new folder with a short name in the place for temporary files. Only this user can read it.
    ///
    /// The name is short because browsers put sockets into the folder, whose paths have at most 107 bytes on Linux.
    package func makeTemporaryFolder(_ prefix: String) throws -> URL {
        var path = Array(temporaryDirectory.appendingPathComponent("\(prefix)-XXXXXX").path.utf8CString)
        guard let made = mkdtemp(&path) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: temporaryDirectory.path])
        }
        return URL(fileURLWithPath: String(cString: made), isDirectory: true)
    }

    /// Writes a file that only this user can read, because traffic can have secrets in it. A file that exists is replaced, and
    /// keeps its permissions.
    package func writePrivately(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    /// Whether both paths name one file, perhaps by a link.
    package func isSameFile(_ path: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    /// A folder of bridged's for what can be made again, which may not exist yet. It can be deleted at any time.
    /// - Returns: nil if neither HOME nor XDG_CACHE_HOME is set.
    package func cacheFolder(_ name: String) -> URL? {
        let environment = ProcessInfo.processInfo.environment
        let base = environment["XDG_CACHE_HOME"] ?? environment["HOME"].map { "\($0)/.cache" }
        return base.map { URL(fileURLWithPath: "\($0)/bridged/\(name)", isDirectory: true) }
    }
}
