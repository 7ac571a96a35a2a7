import BridgeProtocol
import Foundation

/// A file that receives lines. `flush` writes all lines appended since the last flush in one system call, and keeps
/// what it could not write for the next flush.
@MainActor final class LogFile {
    private let path: String
    private let disk: any Disk
    private var descriptor: Int32
    /// Whether the file had a name when it was opened. One without a name, such as a pipe, cannot be deleted.
    private var hasName: Bool
    private var isDeleted = false
    /// The lines that are not in the file yet.
    private var buffer: [UInt8] = []
    /// How many bytes of the buffer are in the file already: a part of the first line.
    private var written = 0

    /// Opens a file to append to it.
    init(path: String, disk: any Disk) throws(LogFileError) {
        self.path = path
        self.disk = disk
        descriptor = try LogFile.open(path, disk)
        hasName = disk.linkCount(of: descriptor) > 0
        startLine()
    }

    isolated deinit { disk.close(descriptor) }

    /// How many bytes are not in the file yet.
    var waitingBytes: Int { buffer.count }

    func append(_ line: [UInt8]) { buffer += line }

    /// Writes the appended lines. After that they are not lost if this process is killed.
    ///
    /// - Throws: `LogFileError` if not all of them are in the file. The next call continues.
    func flush() throws(LogFileError) {
        guard !buffer.isEmpty else { return }
        guard !isDeleted else { throw LogFileError(path: path, cause: .deleted) }
        while written < buffer.count {
            do throws(DiskError) {
                written += try write(from: written)
            } catch {
                discardCompleteLines()
                throw LogFileError(path: path, cause: .failed(error.number))
            }
        }
        if hasName, disk.linkCount(of: descriptor) == 0 {
            // What was just written is lost with the file, so the next file gets it.
            isDeleted = true
            written = 0
            throw LogFileError(path: path, cause: .deleted)
        }
        buffer.removeAll(keepingCapacity: buffer.count < 1 << 20)
        written = 0
    }

    /// Whether another file has taken the place of this one, which was moved away.
    var isReplaced: Bool { hasName && disk.isOpen(descriptor, as: path) == false }

    /// Opens the path again, and continues in that file if it is another one, because the old one was moved away or
    /// deleted. If it can't be opened, the log continues in the old file.
    func reopen() throws(LogFileError) {
        guard disk.isOpen(descriptor, as: path) != true else { return }
        let fresh = try LogFile.open(path, disk)
        disk.close(descriptor)
        descriptor = fresh
        hasName = disk.linkCount(of: descriptor) > 0
        isDeleted = false
        // A line whose beginning is in the old file is written again as a whole.
        written = 0
        startLine()
    }

    private static func open(_ path: String, _ disk: any Disk) throws(LogFileError) -> Int32 {
        do throws(DiskError) {
            return try disk.open(path)
        } catch {
            throw LogFileError(path: path, cause: .failed(error.number))
        }
    }

    /// Begins with a line feed if the file ends within a line, because a daemon was killed while it wrote.
    private func startLine() {
        let lineFeed = UInt8(ascii: "\n")
        if let last = disk.lastByte(of: descriptor), last != lineFeed { buffer.insert(lineFeed, at: 0) }
    }

    private func discardCompleteLines() {
        let end = buffer[..<written].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        buffer.removeFirst(end)
        written -= end
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
    enum Cause: Equatable {
        case deleted
        /// A system call failed with this `errno`.
        case failed(Int32)
    }

    let path: String
    let cause: Cause

    /// Whether the log is a pipe or a terminal whose reader has not read enough yet.
    var isFull: Bool { cause == .failed(EAGAIN) }

    public var description: String { "\(reason) Choose another file with --log." }

    /// What happened, without what to do about it.
    var reason: String {
        switch cause {
        case .deleted: "The log \(path) was deleted."
        case .failed(EAGAIN): "Nobody reads the log \(path)."
        case .failed(let number): "Can't write the log \(path): \(String(cString: strerror(number)))."
        }
    }
}
