import BridgeProtocol
import Foundation

/// A file or a stream that receives lines. `flush` writes all lines appended since the last flush in one system call.
@MainActor final class LogFile {
    private let name: String
    private var descriptor: Int32
    /// Whether this is a file that was opened by its path. A stream cannot be opened again.
    let canReopen: Bool
    private var buffer: [UInt8] = []
    /// Whether a write has failed. If so, nothing is written until `reopen`.
    private var hasFailed = false

    /// Opens a file to append to it. Only the user can read a new file, because it has the contents of messages.
    init(path: String) throws(LogFileError) {
        name = path
        canReopen = true
        descriptor = try LogFile.open(path)
        if LogFile.endsWithinALine(descriptor) { buffer = [UInt8(ascii: "\n")] }
    }

    /// Writes to an open descriptor, and never closes it.
    init(descriptor: Int32, name: String) {
        self.name = name
        self.descriptor = descriptor
        canReopen = false
    }

    deinit { if canReopen { close(descriptor) } }

    /// Opens the path again, and continues in that file. It is a new file if the old one was moved away. If it can't be
    /// opened, the log continues in the old file.
    func reopen() throws(LogFileError) {
        guard canReopen else { return }
        let fresh = try LogFile.open(name)
        close(descriptor)
        descriptor = fresh
        hasFailed = false
        buffer = LogFile.endsWithinALine(descriptor) ? [UInt8(ascii: "\n")] : []
    }

    private static func open(_ path: String) throws(LogFileError) -> Int32 {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw LogFileError(name: path, number: errno) }
        return descriptor
    }

    /// Whether the file does not end with a line feed, because a daemon was killed while it wrote a line.
    private static func endsWithinALine(_ descriptor: Int32) -> Bool {
        var last = UInt8(ascii: "\n")
        let size = lseek(descriptor, 0, SEEK_END)
        return size > 0 && pread(descriptor, &last, 1, size - 1) == 1 && last != UInt8(ascii: "\n")
    }

    func append(_ line: [UInt8]) {
        if !hasFailed { buffer += line }
    }

    /// Writes the appended lines to the descriptor. After that they are not lost if this process is killed.
    ///
    /// - Throws: `LogFileError` at the first failure. After that nothing is written, and nothing is thrown, until
    ///   `reopen`.
    func flush() throws(LogFileError) {
        guard !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                hasFailed = true
                throw LogFileError(name: name, number: errno)
            }
            written += count
        }
    }
}

/// The error if the log can't be opened or written.
public struct LogFileError: Error, CustomStringConvertible {
    let name: String
    let number: Int32

    public var description: String {
        "Can't write the log \(name): \(String(cString: strerror(number))). Choose another file with --log."
    }
}
