import BridgeTraffic

/// A response that is written in parts: those of its bytes, and then what a stream brings. This type does no I/O.
final class OutgoingResponse {
    /// The size of a part. If the kernel takes anything, it takes that much, so libwebsockets need not buffer a rest.
    private static let partBytes = 16 << 10
    /// The time until the first check of a client that does not read. It doubles with each check.
    private static let firstCheckInterval = Duration.milliseconds(5)
    private static let longestCheckInterval = Duration.milliseconds(200)

    let stream: HTTPStream?
    /// When a part was written last, or the response began.
    private(set) var lastWrite = ContinuousClock.now
    /// The time between the latest two checks of a client that does not read; nil if it reads.
    private var checkInterval: Duration?
    /// Whether the parts of the stream are chunks. The last chunk tells the client that nothing was cut off.
    private let isChunked: Bool
    private var hasLastChunk = false
    private var bytes: [UInt8]
    private var start = EventLoop.headroom

    /// The size of what is held. Its memory is freed when everything is written.
    var count: Int { bytes.count }
    var isBlocked: Bool { checkInterval != nil }

    /// - Parameter bytes: begin with `EventLoop.headroom` bytes that `write` may overwrite.
    init(_ bytes: [UInt8], then stream: HTTPStream? = nil, isChunked: Bool = false) {
        self.bytes = bytes
        self.stream = stream
        self.isChunked = isChunked
    }

    /// Takes the next bytes of the stream if those before are written.
    /// - Parameter endsStream: whether the stream ends with what it has now.
    /// - Returns: false if nothing is left to write now.
    func hasPart(endsStream: Bool) -> Bool {
        guard start >= bytes.count else { return true }
        let next = stream?.next(headroom: EventLoop.headroom, isChunked: isChunked) ?? lastChunk(endsStream)
        (bytes, start) = (next ?? [], next == nil ? 0 : EventLoop.headroom)
        return next != nil
    }

    /// A partial response ends within a chunk (RFC 9112, section 8): libsoup, which WebKitGTK uses, takes one that ends
    /// between two chunks for complete.
    private func lastChunk(_ endsStream: Bool) -> [UInt8]? {
        guard isChunked, !hasLastChunk, endsStream || stream?.isFinished == true else { return nil }
        hasLastChunk = true
        let last = stream?.isPartial == true ? "1\r\n" : "0\r\n\r\n"
        return [UInt8](repeating: 0, count: EventLoop.headroom) + Array(last.utf8)
    }

    /// Calls `write` with a buffer that ends with the next part, and with the place at which that part begins.
    func writePart(_ write: (UnsafeMutableRawBufferPointer, _ start: Int) -> Bool) -> Bool {
        let (begin, end) = (start, min(start + OutgoingResponse.partBytes, bytes.count))
        (start, lastWrite, checkInterval) = (end, .now, nil)
        return bytes.withUnsafeMutableBytes { write(UnsafeMutableRawBufferPointer(rebasing: $0[..<end]), begin) }
    }

    /// Notes that the client does not read.
    /// - Returns: the time until the next check.
    func block() -> Duration {
        let next = checkInterval.map { min($0 * 2, OutgoingResponse.longestCheckInterval) }
        let interval = next ?? OutgoingResponse.firstCheckInterval
        checkInterval = interval
        return interval
    }
}
