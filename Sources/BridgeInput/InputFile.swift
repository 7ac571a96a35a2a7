import Foundation

/// Reads files, pipes and standard input to their end, within a limit.
///
/// Foundation's `readDataToEndOfFile` ends the process if reading fails, such as of a folder, and reads `/dev/zero`
/// until the memory is full.
public enum InputFile {
    /// The largest file that is read if nothing else is said, in bytes.
    public static let usualLimit = 16 << 20
    /// How long to wait for somebody who writes into a named pipe.
    public static let usualPatience = Duration.seconds(10)

    /// - Throws: ``InputFileError`` if the file cannot be read or is larger than the limit, or if it is a pipe in a folder
    ///   into which nobody writes within `patience`. (Bash's `<(…)` has a writer, which may be slow.)
    public static func contents(
        ofPath path: String, limit: Int = usualLimit, patience: Duration = usualPatience
    ) throws(InputFileError) -> [UInt8] {
        // Without O_NONBLOCK, a pipe is opened only when somebody writes to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw InputFileError(errno) }
        defer { close(descriptor) }
        let hasWriter = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
        try awaitWriter(of: descriptor, hasWriter ? nil : patience)
        return try contents(of: descriptor, limit: limit)
    }

    /// Waits until there is something to read in a pipe, and makes reading wait for the rest again.
    /// - Parameter patience: nil to wait as long as it takes.
    private static func awaitWriter(of descriptor: Int32, _ patience: Duration?) throws(InputFileError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw InputFileError(errno) }
        let end = patience.map { ContinuousClock.now + $0 }
        while status.st_mode & S_IFMT == S_IFIFO {
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = end.map { max(0, Int32(($0 - .now) / .milliseconds(1))) }
            let found = poll(&wanted, 1, left ?? -1)
            if found > 0 { break }
            if found == 0, let patience {
                throw InputFileError(reason: "it is a pipe, and nobody has written into it for \(patience)")
            }
            guard found == 0 || errno == EINTR else { throw InputFileError(errno) }
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    /// Reads only the beginning and the end of a file, however large it is. They overlap if it is small.
    ///
    /// - Parameter count: how many bytes of each.
    /// - Throws: ``InputFileError`` if the file cannot be read, or is a folder, a device or a pipe, which have no end.
    public static func ends(
        ofPath path: String, of count: Int
    ) throws(InputFileError) -> (beginning: [UInt8], end: [UInt8]) {
        // Without O_NONBLOCK, a pipe is opened only when somebody writes to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw InputFileError(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw InputFileError(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw InputFileError(reason: "it is no regular file") }
        let size = Int(status.st_size)
        return (
            try bytes(of: descriptor, at: 0, count), try bytes(of: descriptor, at: max(0, size - count), count)
        )
    }

    private static func bytes(of descriptor: Int32, at offset: Int, _ count: Int) throws(InputFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        while length < count {
            let got = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + length }, count - length, off_t(offset + length))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw InputFileError(errno) }
            if got == 0 { break }
            length += got
        }
        return Array(bytes.prefix(length))
    }

    public static func standardInput() throws(InputFileError) -> [UInt8] {
        try contents(of: STDIN_FILENO, limit: usualLimit)
    }

    private static func contents(of descriptor: Int32, limit: Int) throws(InputFileError) -> [UInt8] {
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw InputFileError(errno) }
            if count == 0 { return contents }
            contents += buffer.prefix(count)
            guard contents.count <= limit else {
                throw InputFileError(reason: "it has more than \(limit) bytes")
            }
        }
    }
}

/// Why a file was not read.
public struct InputFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason within a sentence, such as `No such file or directory`.
    public let reason: String

    init(reason: String) { self.reason = reason }
    init(_ code: Int32) { reason = String(cString: strerror(code)) }

    public var description: String { reason }
}
