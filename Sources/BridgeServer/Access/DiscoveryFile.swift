import BridgeProtocol
import Foundation

/// The file through which tools find a running daemon and its token: `$XDG_RUNTIME_DIR/bridged/PORT.json`, or
/// `bridged-UID/PORT.json` in the temporary folder if that variable is not set.
///
/// The file has mode 0600 and its folder mode 0700, because it contains the token. The daemon holds a lock on it
/// (`flock(2)`). The system ends the lock with the process, however that ends, so a file without a lock is one that a
/// killed daemon has left behind.
struct DiscoveryFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Writes the file in one step, and removes the files that killed daemons have left behind.
    ///
    /// - Throws: `DiscoveryFileError` if the folder belongs to another user or cannot be written.
    init(
        port: UInt16, url: String, token: AccessToken, pageToken: AccessToken?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(DiscoveryFileError) {
        let folder = DaemonEndpoint.folder(environment, user: getuid())
        try DiscoveryFile.makePrivate(folder)
        path = "\(folder)/\(port).json"
        var writer = JSONWriter()
        DaemonEndpoint(
            url: url, pid: Int(getpid()), token: token.text, pageToken: pageToken?.text,
            startedAt: Timestamp.now.description
        ).write(to: &writer)
        writer.newline()
        descriptor = try DiscoveryFile.write(writer.bytes, to: path)
        DiscoveryFile.removeUnlocked(in: folder)
    }

    /// Removes the file, unless another daemon has replaced it: one that uses the same port at another address, or that
    /// has started since this daemon gave the port up.
    func remove() {
        var (own, named) = (stat(), stat())
        if fstat(descriptor, &own) == 0, lstat(path, &named) == 0, own.st_dev == named.st_dev,
            own.st_ino == named.st_ino
        {
            unlink(path)
        }
        close(descriptor)
    }

    private static func removeUnlocked(in folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where isUnfinished(name) { unlink("\(folder)/\(name)") }
        for path in names.filter({ $0.hasSuffix(".json") }).map({ "\(folder)/\($0)" }) {
            // Without O_NONBLOCK, opening a pipe would wait for a writer.
            let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            var status = stat()
            let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            if isFile, flock(descriptor, LOCK_SH | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }

    /// Whether a file is that of a daemon that ended before the file had its name: `PORT.json.PID`.
    private static func isUnfinished(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, UInt16(parts[0]) != nil, parts[1] == "json", let process = pid_t(parts[2]), process > 0
        else { return false }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    /// Creates the folder, or removes other users' permissions if it exists. Every user can write to the temporary
    /// folder, so another user may have created this folder in advance to read the tokens in it.
    private static func makePrivate(_ folder: String) throws(DiscoveryFileError) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw DiscoveryFileError(folder, errno) }
        var status = stat()
        guard lstat(folder, &status) == 0 else { throw DiscoveryFileError(folder, errno) }
        let isOurs = status.st_uid == getuid() && status.st_mode & S_IFMT == S_IFDIR
        guard isOurs, chmod(folder, 0o700) == 0 else {
            throw DiscoveryFileError(
                description: "\(folder) is not a folder of this user. Remove it, or set XDG_RUNTIME_DIR.")
        }
    }

    /// - Returns: the descriptor that holds the lock.
    private static func write(_ bytes: [UInt8], to path: String) throws(DiscoveryFileError) -> Int32 {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DiscoveryFileError(temporary, errno) }
        let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        // Locked before it gets its name, so no one ever finds it without the lock.
        guard written == bytes.count, flock(descriptor, LOCK_EX | LOCK_NB) == 0, rename(temporary, path) == 0 else {
            let number = errno
            unlink(temporary)
            close(descriptor)
            throw DiscoveryFileError(path, number)
        }
        return descriptor
    }
}

/// The reason why the discovery file could not be written.
struct DiscoveryFileError: Error, CustomStringConvertible {
    let description: String

    init(description: String) { self.description = description }

    init(_ path: String, _ number: Int32) {
        description = "Cannot write the discovery file \(path): \(String(cString: strerror(number)))."
    }
}
