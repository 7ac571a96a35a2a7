import BridgeProtocol
import Foundation

/// What tools need to find and open a running daemon: `$XDG_RUNTIME_DIR/bridged/PORT.json`, or
/// `bridged-UID/PORT.json` in the temporary folder where that variable is not set. Mode 0600 in a folder of mode
/// 0700, because it holds the token.
struct DiscoveryFile: Sendable {
    let path: String

    /// Writes the file in one step, over what a daemon that was killed may have left.
    ///
    /// - Throws: `DiscoveryFileError` where the folder is not ours alone, or can't be written.
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
        try DiscoveryFile.write(writer.bytes, to: path)
    }

    func remove() { unlink(path) }

    /// The temporary folder is everybody's: somebody else may have made ours before us, to read what we put there.
    private static func makePrivate(_ folder: String) throws(DiscoveryFileError) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw DiscoveryFileError(folder, errno) }
        var status = stat()
        guard lstat(folder, &status) == 0 else { throw DiscoveryFileError(folder, errno) }
        let isOurs = status.st_uid == getuid() && status.st_mode & S_IFMT == S_IFDIR
        guard isOurs, chmod(folder, 0o700) == 0 else {
            throw DiscoveryFileError(
                description: "\(folder) belongs to somebody else. Remove it, or set XDG_RUNTIME_DIR.")
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(DiscoveryFileError) {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DiscoveryFileError(temporary, errno) }
        let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        guard written == bytes.count, rename(temporary, path) == 0 else { throw DiscoveryFileError(path, errno) }
    }
}

struct DiscoveryFileError: Error, CustomStringConvertible {
    let description: String

    init(description: String) { self.description = description }

    init(_ path: String, _ number: Int32) {
        description = "Can't write the run file \(path): \(String(cString: strerror(number)))."
    }
}
