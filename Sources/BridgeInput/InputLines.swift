import Foundation

/// Reads a file, a pipe or standard input line by line. `readLine` would keep a line of any length in memory.
public struct InputLines {
    public enum Line: Equatable {
        /// The bytes of a line, without its end.
        case line([UInt8])
        /// A line was longer than the limit. It was read to its end and dropped.
        case tooLong
    }

    private let descriptor: Int32
    private let limit: Int
    private var buffer: [UInt8] = []
    /// How many bytes of `buffer` have been returned.
    private var used = 0

    /// - Parameters:
    ///   - descriptor: that of standard input if nothing is said.
    ///   - limit: the longest line, in bytes.
    public init(_ descriptor: Int32 = 0, limit: Int = InputFile.usualLimit) {
        (self.descriptor, self.limit) = (descriptor, limit)
    }

    /// Waits for the next line. The last one need not have an end.
    /// - Returns: nil at the end.
    public mutating func next() -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        while true {
            let end = nextEnd
            let piece = buffer[used..<(end ?? buffer.count)]
            isTooLong = isTooLong || line.count + piece.count > limit
            if isTooLong { line = [] } else { line.append(contentsOf: piece) }
            used = end.map { $0 + 1 } ?? buffer.count
            if end != nil { return isTooLong ? .tooLong : .line(line) }
            guard read() else { return isTooLong ? .tooLong : line.isEmpty ? nil : .line(line) }
        }
    }

    /// Where in the buffer the next line ends; nil if it goes on.
    private var nextEnd: Int? {
        buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, used < bytes.count,
                let found = memchr(base + used, Int32(UInt8(ascii: "\n")), bytes.count - used)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Reads more into the buffer, all of which has been used.
    /// - Returns: false at the end, and if reading fails.
    private mutating func read() -> Bool {
        var count = -1
        buffer = [UInt8](unsafeUninitializedCapacity: 64 << 10) { [descriptor] piece, length in
            repeat {
                count = Foundation.read(descriptor, piece.baseAddress, piece.count)
            } while count < 0 && errno == EINTR
            length = max(0, count)
        }
        used = 0
        return count > 0
    }
}
