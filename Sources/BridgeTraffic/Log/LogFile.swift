import BridgeProtocol
import Foundation

/// A file, or a stream, that grows by whole lines. What is appended is written at `flush`, in one call. On the main
/// actor.
@MainActor final class LogFile {
    private let name: String
    private var descriptor: Int32
    /// Whether it is a file of ours, which has a name, and not a stream.
    let canReopen: Bool
    @exclusivity(unchecked) private var buffer: [UInt8] = []
    /// Whether it could not be written: nothing is, until it is opened again.
    private var hasFailed = false

    /// Appends to what is there. Only its owner can read a file that is new: it holds what pages send.
    init(path: String) throws(LogFileError) {
        name = path
        canReopen = true
        descriptor = try LogFile.open(path)
        if LogFile.endsWithinALine(descriptor) { buffer = [UInt8(ascii: "\n")] }
    }

    /// Writes to a descriptor that stays open.
    init(descriptor: Int32, name: String) {
        self.name = name
        self.descriptor = descriptor
        canReopen = false
    }

    deinit { if canReopen { close(descriptor) } }

    /// Goes on in the file that has the name now: what a tool that rotates logs has put there, or a new one. Where that
    /// can't be opened it goes on in the old one.
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

    /// Whether whoever wrote it last was killed in the middle of a line.
    private static func endsWithinALine(_ descriptor: Int32) -> Bool {
        var last = UInt8(ascii: "\n")
        let size = lseek(descriptor, 0, SEEK_END)
        return size > 0 && pread(descriptor, &last, 1, size - 1) == 1 && last != UInt8(ascii: "\n")
    }

    func append(_ line: [UInt8]) {
        if !hasFailed { buffer += line }
    }

    /// Hands what was appended over to the system: it outlives this process from then on.
    ///
    /// - Throws: once; after that nothing is written until `reopen`.
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

/// Why the log can't be opened or written.
public struct LogFileError: Error, CustomStringConvertible {
    let name: String
    let number: Int32

    public var description: String {
        "Can't write the log \(name): \(String(cString: strerror(number))). Choose another file with --log."
    }
}
