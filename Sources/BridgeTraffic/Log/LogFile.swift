import BridgeProtocol
import Foundation

/// A file or a stream that receives lines. `flush` writes all lines appended since the last flush in one system call.
@MainActor final class LogFile {
    private let name: String
    private let disk: any Disk
    private var descriptor: Int32
    /// Whether this is a file that was opened by its path. A stream cannot be opened again.
    let canReopen: Bool
    private var buffer: [UInt8] = []
    /// Whether a write has failed. If so, nothing is written until `reopen`.
    private var hasFailed = false

    /// Opens a file to append to it.
    init(path: String, disk: any Disk) throws(LogFileError) {
        name = path
        self.disk = disk
        canReopen = true
        descriptor = try LogFile.open(path, disk)
        startLine()
    }

    /// Writes to an open descriptor, and never closes it.
    init(descriptor: Int32, name: String, disk: any Disk) {
        self.name = name
        self.disk = disk
        self.descriptor = descriptor
        canReopen = false
    }

    isolated deinit { if canReopen { disk.close(descriptor) } }

    /// Opens the path again, and continues in that file. It is a new file if the old one was moved away. If it can't be
    /// opened, the log continues in the old file.
    func reopen() throws(LogFileError) {
        guard canReopen else { return }
        let fresh = try LogFile.open(name, disk)
        disk.close(descriptor)
        descriptor = fresh
        hasFailed = false
        startLine()
    }

    private static func open(_ path: String, _ disk: any Disk) throws(LogFileError) -> Int32 {
        do throws(DiskError) {
            return try disk.open(path)
        } catch {
            throw LogFileError(name: path, number: error.number)
        }
    }

    /// Empties the buffer. If the file ends within a line, because a daemon was killed while it wrote, the buffer
    /// begins with a line feed.
    private func startLine() {
        let lineFeed = UInt8(ascii: "\n")
        buffer = disk.lastByte(of: descriptor).map { $0 != lineFeed } ?? false ? [lineFeed] : []
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
            do throws(DiskError) {
                written += try write(from: written)
            } catch {
                hasFailed = true
                throw LogFileError(name: name, number: error.number)
            }
        }
    }

    private func write(from start: Int) throws(DiskError) -> Int {
        try buffer.withUnsafeBytes { bytes in
            Result { () throws(DiskError) in
                try disk.write(UnsafeRawBufferPointer(rebasing: bytes[start...]), to: descriptor)
            }
        }.get()
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
