/// A growing buffer of bytes. It is the only owner of its memory, so an append is a bounds check and a store, without
/// the checks for uniqueness and exclusivity that an array makes each time. What appends to it is inlinable, because
/// the names in a record are constants, which the compiler then stores as whole words.
///
/// `@unchecked Sendable`: nothing else points to the memory, so it moves between threads together with its owner.
public struct ByteBuffer: ~Copyable, @unchecked Sendable {
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var length = 0

    public var count: Int { length }

    public init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        start = .allocate(capacity: self.capacity)
    }

    deinit { start.deallocate() }

    /// A copy of the bytes.
    public var array: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

    /// Calls `body` with the bytes, which are valid during the call.
    public func withBytes<R: ~Copyable, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Calls `body` with the bytes, which it may overwrite.
    public mutating func withMutableBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafeMutableRawBufferPointer(start: start, count: count))
    }

    /// Removes all bytes and keeps the memory.
    public mutating func removeAll() { length = 0 }

    // MARK: Appending

    /// Makes room for `extra` more bytes and calls `fill` with their place. `fill` returns how many bytes it wrote.
    @inlinable @inline(__always) mutating func append(upTo extra: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int) {
        if length + extra > capacity { grow(extra) }
        length += fill(start + length)
    }

    @inlinable @inline(__always) public mutating func append(_ byte: UInt8) {
        if length == capacity { grow(1) }
        start[length] = byte
        length += 1
    }

    @inlinable @inline(__always) mutating func append(_ bytes: UnsafePointer<UInt8>, count extra: Int) {
        append(upTo: extra) { target in
            target.update(from: bytes, count: extra)
            return extra
        }
    }

    @inlinable @inline(__always) mutating func append(_ text: StaticString) {
        append(text.utf8Start, count: text.utf8CodeUnitCount)
    }

    public mutating func append(repeating byte: UInt8, count extra: Int) {
        append(upTo: extra) { target in
            target.initialize(repeating: byte, count: extra)
            return extra
        }
    }

    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { append(start, count: $0.count) } }
    }

    public mutating func append(contentsOf bytes: some Sequence<UInt8>) {
        let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { bytes in
            if let base = bytes.baseAddress { append(base, count: bytes.count) }
        }
        if isContiguous == nil { for byte in bytes { append(byte) } }
    }

    @usableFromInline @inline(never) mutating func grow(_ extra: Int) {
        let larger = max(capacity * 2, length + extra)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        memory.update(from: start, count: length)
        start.deallocate()
        start = memory
        capacity = larger
    }
}
