import BridgeTraffic
import Synchronization

/// A response that is written piece by piece from the main actor.
@MainActor final class HTTPStream {
    /// The number of waiting bytes at which `isCrowded` becomes true.
    private static let crowdedBytes = 1 << 20

    /// Is called once, when the client has left or the whole response has been written.
    var onEnd: (@MainActor () -> Void)?
    private let id: ConnectionID
    private let loop: EventLoop
    nonisolated private let waiting = Mutex(Waiting())

    private struct Waiting {
        var bytes: [UInt8] = []
        /// The number of bytes that were taken last. They are being written until the next ones are taken.
        var taken = 0
        /// Whether nothing more will be written.
        var isComplete = false
        /// Whether the client must learn that what it has got is not the whole response.
        var isPartial = false
        /// Whether the connection has closed.
        var hasEnded = false
    }

    init(id: ConnectionID, loop: EventLoop) {
        self.id = id
        self.loop = loop
    }

    /// Queues bytes. They are discarded if the connection has closed.
    func write(_ bytes: [UInt8]) {
        let count = waiting.withLock { waiting in
            guard !waiting.hasEnded else { return 0 }
            waiting.bytes += bytes
            return bytes.count
        }
        loop.count(count)
        loop.perform(on: id) { $0.writeAfterRound() }
    }

    /// Ends the response after what is queued.
    func end() { end(isPartial: false) }

    /// Ends the response after what is queued.
    /// - Parameter isPartial: whether to end it within a chunk, so that the client can tell that it is not complete.
    func end(isPartial: Bool) {
        waiting.withLock { ($0.isComplete, $0.isPartial) = (true, isPartial) }
        loop.perform(on: id) { $0.writeAfterRound() }
    }

    /// Lets the response count as partial until it ends, also if the daemon ends before. Other streams are complete at any
    /// time, such as that of the log.
    func markPartial() { waiting.withLock { $0.isPartial = true } }

    /// Whether so many bytes wait that the writer should leave something out. Those that are being written count, too,
    /// so that a slow reader does not make the daemon hold twice as many.
    var isCrowded: Bool { waiting.withLock { $0.bytes.count + $0.taken } >= HTTPStream.crowdedBytes }

    /// Called when the transport has finished with the stream.
    func ended() {
        loop.count(
            -waiting.withLock { waiting in
                defer { waiting = Waiting(hasEnded: true) }
                return waiting.bytes.count
            })
        onEnd?()
        onEnd = nil
    }

    // MARK: On the loop's thread

    /// Whether everything was taken and nothing will follow.
    nonisolated var isFinished: Bool { waiting.withLock { $0.isComplete && $0.bytes.isEmpty } }

    nonisolated var isPartial: Bool { waiting.withLock { $0.isPartial } }

    nonisolated var waitingBytes: Int { waiting.withLock { $0.bytes.count } }

    /// Removes all waiting bytes and returns them after `headroom` bytes; nil if no bytes wait.
    /// - Parameter isChunked: whether to return them as a chunk (RFC 9112, section 7.1).
    nonisolated func next(headroom: Int, isChunked: Bool) -> [UInt8]? {
        let bytes = waiting.withLock { waiting in
            defer { (waiting.taken, waiting.bytes) = (waiting.bytes.count, []) }
            return waiting.bytes
        }
        guard !bytes.isEmpty else { return nil }
        loop.count(-bytes.count)
        let room = [UInt8](repeating: 0, count: headroom)
        guard isChunked else { return room + bytes }
        return room + Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }
}
