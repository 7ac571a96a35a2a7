/// The pieces of one WebSocket message that have arrived so far (RFC 6455, section 5.4). This type does no I/O.
struct IncomingMessage {
    private(set) var bytes: [UInt8] = []
    /// When the first piece arrived; nil if none has. The piece may be empty.
    private(set) var since: ContinuousClock.Instant?

    /// The size of the memory that the pieces take.
    var capacity: Int { bytes.capacity }

    /// The size that the message will have at least.
    /// - Parameters:
    ///   - piece: the size of the piece that has just arrived.
    ///   - rest: how many more bytes the header of its frame announces. A client may announce up to 2^63−1 bytes in
    ///     every frame, so the sum may be larger than any `Int`. The result is `Int.max` then.
    @inline(__always) func size(with piece: Int, announced rest: Int) -> Int {
        let (size, overflows) = (bytes.count + piece).addingReportingOverflow(rest)
        return overflows || rest < 0 ? .max : size
    }

    mutating func append(_ piece: UnsafeRawBufferPointer) {
        since = since ?? .now
        bytes.append(contentsOf: piece)
    }

    /// Removes and returns the bytes of the complete message.
    mutating func take() -> [UInt8] {
        defer { self = IncomingMessage() }
        return bytes
    }
}
