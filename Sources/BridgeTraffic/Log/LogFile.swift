import BridgeProtocol
import Foundation

/// A file that receives lines. `flush` writes all lines appended since the last flush in one system call. If it cannot
/// write all of them, it holds all of them, because the file may be deleted or truncated before the next flush.
@MainActor final class LogFile {
    private let path: String
    private let disk: any Disk
    /// Nil if the file was deleted. The next flush opens the path again.
    private var descriptor: Int32?
    /// Whether the file had a name when it was opened. One without a name, such as a pipe, cannot be deleted.
    private var hasName = false
    /// The lines since the last flush that wrote everything. Unchecked for overlapping accesses: a disk does not call
    /// back.
    @exclusivity(unchecked) private var buffer: [UInt8] = []
    /// How many bytes of the buffer are in the file already.
    private var written = 0

    /// Opens a file to append to it.
    init(path: String, disk: any Disk) throws(LogFileError) {
        self.path = path
        self.disk = disk
        try reopen()
    }

    isolated deinit { close() }

    /// How many bytes wait until all of them are in the file.
    var waitingBytes: Int { buffer.count }

    func append(_ line: [UInt8]) { buffer += line }

    /// Writes the appended lines. After that they are not lost if this process is killed.
    ///
    /// - Throws: `LogFileError` if not all of them are in the file. The next call continues.
    func flush() throws(LogFileError) {
        guard !buffer.isEmpty else { return }
        if descriptor == nil { try reopen() }
        guard let descriptor else { return }
        if !disk.endsWithLastWrite(descriptor) { beginAgain(in: descriptor) }
        let failure = writeRest(to: descriptor)
        if hasName, disk.linkCount(of: descriptor) == 0 {
            // An open file takes up room although it was deleted. What it has is lost, so the next file gets all lines.
            close()
            throw LogFileError(path: path, cause: .deleted)
        }
        if let failure { throw LogFileError(path: path, cause: .failed(failure.number)) }
        buffer.removeAll(keepingCapacity: buffer.count < 1 << 20)
        written = 0
    }

    /// Whether another file has taken the place of this one, which was moved away.
    var isReplaced: Bool { hasName && descriptor.map { disk.isOpen($0, as: path) } == false }

    /// Whether the path does not name this file any more, because it was moved away.
    var isMoved: Bool { hasName && descriptor.map { disk.isOpen($0, as: path) != true } == true }

    /// Opens the path again, and continues in that file if it is another one, because the old one was moved away or
    /// deleted. The new file gets all lines that wait. If it can't be opened, the log continues in the old file.
    func reopen() throws(LogFileError) {
        if let descriptor, disk.isOpen(descriptor, as: path) == true { return }
        do throws(DiskError) {
            let fresh = try disk.open(path)
            close()
            descriptor = fresh
            hasName = disk.linkCount(of: fresh) > 0
        } catch {
            throw LogFileError(path: path, cause: .failed(error.number))
        }
    }

    private func close() {
        if let descriptor = descriptor.take() { disk.close(descriptor) }
        written = 0
    }

    /// Prepares to write all lines, because the file is not as the last write left it. If it ends within a line, because
    /// a daemon was killed while it wrote or another daemon has no room for the rest, they begin with a line feed.
    private func beginAgain(in descriptor: Int32) {
        let lineFeed = UInt8(ascii: "\n")
        written = 0
        guard let last = disk.lastByte(of: descriptor), last != lineFeed, buffer.first != lineFeed else { return }
        buffer.insert(lineFeed, at: 0)
    }

    private func writeRest(to descriptor: Int32) -> DiskError? {
        do throws(DiskError) {
            while written < buffer.count { written += try write(from: written, to: descriptor) }
            return nil
        } catch {
            return error
        }
    }

    private func write(from start: Int, to descriptor: Int32) throws(DiskError) -> Int {
        try buffer.withUnsafeBufferPointer { lines throws(DiskError) in
            try disk.write(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: lines[start...])), to: descriptor)
        }
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
    var isPipeFull: Bool { cause == .failed(EAGAIN) }

    public var description: String { "\(reason) Choose another file with \(setting("log", "logPath"))." }

    /// What happened, without advice.
    var reason: String {
        switch cause {
        case .deleted: "The log \(path) was deleted."
        case .failed(EAGAIN): "The log \(path) is a pipe or a terminal that is not read."
        case .failed(let number): "Can't write the log \(path): \(String(cString: strerror(number)))."
        }
    }
}
