/// A growing buffer of bytes. It is the only owner of its memory, so an append is a bounds check and a store, without
/// the checks for uniqueness and exclusivity that an array makes each time.
///
/// `@unchecked Sendable`: nothing else points to the memory, so it moves between threads together with its owner.
public struct ByteBuffer: ~Copyable, @unchecked Sendable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    public private(set) var count: Int

    public init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        start = .allocate(capacity: self.capacity)
        count = 0
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
    public mutating func removeAll() { count = 0 }

    // MARK: Appending

    /// Makes room for `extra` more bytes and calls `fill` with their place. `fill` returns how many bytes it wrote.
    @inline(__always) mutating func append(upTo extra: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int) {
        if count + extra > capacity { grow(extra) }
        count += fill(start + count)
    }

    @inline(__always) public mutating func append(_ byte: UInt8) {
        if count == capacity { grow(1) }
        start[count] = byte
        count += 1
    }

    @inline(__always) mutating func append(_ bytes: UnsafePointer<UInt8>, count extra: Int) {
        append(upTo: extra) { target in
            target.update(from: bytes, count: extra)
            return extra
        }
    }

    @inline(__always) mutating func append(_ text: StaticString) {
        append(text.utf8Start, count: text.utf8CodeUnitCount)
    }

    public mutating func append(repeating byte: UInt8, count extra: Int) {
        append(upTo: extra) { target in
            target.initialize(repeating: byte, count: extra)
            return extra
        }
    }

    public mutating func append(contentsOf bytes: some Sequence<UInt8>) {
        let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { bytes in
            if let base = bytes.baseAddress { append(base, count: bytes.count) }
        }
        if isContiguous == nil { for byte in bytes { append(byte) } }
    }

    @inline(never) private mutating func grow(_ extra: Int) {
        let larger = max(capacity * 2, count + extra)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        memory.update(from: start, count: count)
        start.deallocate()
        start = memory
        capacity = larger
    }
}
