import Foundation
import Synchronization

/// Writes to a standard stream on a thread of its own, so that a reader that does not read stops nothing else.
///
/// It does not make the descriptor non-blocking: that would apply to all processes that share it, such as the shell.
final class StreamWriter: Sendable {
    private struct Piece {
        let size: Int
        let make: @Sendable () -> [UInt8]
    }

    private struct State {
        var waiting: [Piece] = []
        /// The size of all pieces that are waiting or being written.
        var size = 0
        var isStarted = false
        /// The `errno` of the first write that failed. After that, everything is discarded.
        var failure: Int32?
    }

    /// How long the thread lets pieces gather after it has written some. To wake it for each would cost the daemon's thread
    /// more than the piece.
    private static let pause: UInt32 = 1_000

    private let descriptor: Int32
    private let limit: Int
    private let state = Mutex(State())
    private let hasWork = DispatchSemaphore(value: 0)

    /// - Parameter limit: the number of bytes that may wait before the stream is crowded.
    init(_ descriptor: Int32, limit: Int = 1 << 20) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Whether the reader has fallen behind. What is written nevertheless waits as well.
    var isCrowded: Bool { state.withLock { $0.size >= limit } }

    /// Why nothing can be written any more; nil if it can.
    var failure: String? { state.withLock(\.failure).map { String(cString: strerror($0)) } }

    func write(_ text: String) { write(text.utf8.count) { Array(text.utf8) } }

    /// Writes the bytes that `make` returns. It is called on the stream's thread.
    /// - Parameter size: about how many bytes these are.
    func write(_ size: Int, _ make: @escaping @Sendable () -> [UInt8]) {
        let (mustStart, mustWake) = state.withLock { state in
            guard state.failure == nil else { return (false, false) }
            defer { state.isStarted = true }
            state.waiting.append(Piece(size: size, make: make))
            state.size += size
            return (!state.isStarted, state.waiting.count == 1)
        }
        if mustStart { Thread { self.run() }.start() }
        if mustWake { hasWork.signal() }
    }

    /// Waits until everything is written, but at most until `deadline`, because the reader may never read.
    func finish(before deadline: ContinuousClock.Instant) {
        while state.withLock({ $0.size > 0 && $0.failure == nil }), .now < deadline { usleep(1_000) }
    }

    private func run() {
        while true {
            hasWork.wait()
            let pieces = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            // Pieces are written together, but not so many that a slow reader seems to make no progress.
            var bytes: [UInt8] = []
            var size = 0
            for (index, piece) in pieces.enumerated() {
                bytes += piece.make()
                size += piece.size
                guard bytes.count >= 1 << 16 || index == pieces.count - 1 else { continue }
                let failure = write(bytes)
                state.withLock { state in
                    state.size -= size
                    state.failure = state.failure ?? failure
                }
                bytes.removeAll(keepingCapacity: true)
                size = 0
            }
            usleep(StreamWriter.pause)
        }
    }

    /// - Returns: the `errno` if it fails.
    private func write(_ bytes: [UInt8]) -> Int32? {
        guard state.withLock({ $0.failure == nil }) else { return nil }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count > 0 {
                written += count
            } else if errno == EAGAIN {
                // Another process has made the stream non-blocking.
                var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&poller, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
