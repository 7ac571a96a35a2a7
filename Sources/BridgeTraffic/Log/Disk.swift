import Foundation

/// The system calls of a log file. A simulation has a disk of its own.
@MainActor package protocol Disk {
    /// Opens a file to append to it. Only the user can read a new file, because it has the contents of messages.
    func open(_ path: String) throws(DiskError) -> Int32
    /// The last byte of a file; nil if the file is empty or not a file.
    func lastByte(of descriptor: Int32) -> UInt8?
    /// Whether a file ends where the last write to it ended; always true for a pipe. If not, it was truncated, or
    /// another process has written to it, or nothing was written yet.
    func endsWithLastWrite(_ descriptor: Int32) -> Bool
    /// Writes bytes, and returns how many of them were written: at least one.
    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(DiskError) -> Int
    /// The number of names that a file has. It is 0 if the file was deleted.
    func linkCount(of descriptor: Int32) -> Int
    /// Whether a path names this open file; nil if it names nothing.
    func isOpen(_ descriptor: Int32, as path: String) -> Bool?
    func close(_ descriptor: Int32)
}

/// The error of a system call, with its `errno`.
package struct DiskError: Error {
    package let number: Int32

    package init(number: Int32) { self.number = number }
}

/// The files of this machine.
package struct SystemDisk: Disk {
    package init() {}

    /// With `O_NONBLOCK`, a write to a pipe or a terminal that is not read fails and does not block. It has no effect
    /// on regular files.
    package func open(_ path: String) throws(DiskError) -> Int32 {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
        guard descriptor >= 0 else { throw DiskError(number: errno) }
        return descriptor
    }

    package func lastByte(of descriptor: Int32) -> UInt8? {
        var (last, status) = (UInt8(0), stat())
        guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return nil }
        return pread(descriptor, &last, 1, status.st_size - 1) == 1 ? last : nil
    }

    package func endsWithLastWrite(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
        // With `O_APPEND`, the offset of the descriptor is the end of its last write.
        return lseek(descriptor, 0, SEEK_CUR) == status.st_size
    }

    package func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(DiskError) -> Int {
        while true {
            let count = Foundation.write(descriptor, bytes.baseAddress, bytes.count)
            if count > 0 { return count }
            guard count < 0, errno == EINTR else { throw DiskError(number: errno) }
        }
    }

    package func linkCount(of descriptor: Int32) -> Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_nlink) : 0
    }

    package func isOpen(_ descriptor: Int32, as path: String) -> Bool? {
        var (mine, named) = (stat(), stat())
        guard stat(path, &named) == 0, fstat(descriptor, &mine) == 0 else { return nil }
        return mine.st_dev == named.st_dev && mine.st_ino == named.st_ino
    }

    package func close(_ descriptor: Int32) { _ = Foundation.close(descriptor) }
}
