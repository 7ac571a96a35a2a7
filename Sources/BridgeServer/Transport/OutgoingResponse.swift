/// A response, or a part of a streamed one, that is written in parts. This type does no I/O.
struct OutgoingResponse {
    /// The size of a part. If the kernel takes anything, it takes that much, so libwebsockets need not buffer a rest.
    private static let partBytes = 16 << 10

    /// The size of the whole response. Its memory is freed when everything is written.
    var count: Int { bytes.count }
    var isWritten: Bool { start >= bytes.count }
    private var bytes: [UInt8]
    private var start: Int

    /// - Parameter headroom: how many bytes before the response `write` may overwrite.
    init(_ bytes: [UInt8], headroom: Int) {
        self.bytes = bytes
        start = headroom
    }

    /// Calls `write` with a buffer that ends with the next part, and with the place at which that part begins.
    mutating func writePart(_ write: (UnsafeMutableRawBufferPointer, _ start: Int) -> Bool) -> Bool {
        let (begin, end) = (start, min(start + OutgoingResponse.partBytes, bytes.count))
        start = end
        return bytes.withUnsafeMutableBytes { write(UnsafeMutableRawBufferPointer(rebasing: $0[..<end]), begin) }
    }
}
