import Foundation

/// A file, or a stream, that grows by whole lines. What is appended is written at `flush`, in one call. On the main
/// actor.
@MainActor final class LogFile {
    private let name: String
    private let descriptor: Int32
    private let closes: Bool
    private var buffer: [UInt8] = []

    /// Appends to what is there. Only its owner can read a file that is new: it holds what pages send.
    init(path: String) throws(LogFileError) {
        name = path
        closes = true
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw LogFileError(name: path, number: errno) }
        if LogFile.endsWithinALine(descriptor) { buffer = [UInt8(ascii: "\n")] }
    }

    /// Writes to a descriptor that stays open.
    init(descriptor: Int32, name: String) {
        self.name = name
        self.descriptor = descriptor
        closes = false
    }

    deinit { if closes { close(descriptor) } }

    /// Whether whoever wrote it last was killed in the middle of a line.
    private static func endsWithinALine(_ descriptor: Int32) -> Bool {
        var last = UInt8(ascii: "\n")
        let size = lseek(descriptor, 0, SEEK_END)
        return size > 0 && pread(descriptor, &last, 1, size - 1) == 1 && last != UInt8(ascii: "\n")
    }

    func append(_ line: [UInt8]) { buffer += line }

    /// Hands what was appended over to the system: it outlives this process from then on.
    func flush() throws(LogFileError) {
        guard !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw LogFileError(name: name, number: errno) }
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
