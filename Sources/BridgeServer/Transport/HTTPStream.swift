import BridgeTraffic
import Synchronization

/// A response that is written piece by piece from the main actor.
@MainActor final class HTTPStream {
    private struct Buffer {
        var waiting: [UInt8] = []
        var isEnded = false
    }

    /// The number of waiting bytes from which on `isCrowded` is true.
    private static let crowdedBytes = 1 << 20
    private static let hangUpCheckInterval = Duration.milliseconds(200)

    /// Is called once, when the client has left or the whole response has been written.
    var onEnd: (@MainActor () -> Void)?
    private let id: ConnectionID
    private let loop: EventLoop
    private var hangUpChecks: Task<Void, Never>?
    nonisolated private let buffer = Mutex(Buffer())

    init(id: ConnectionID, loop: EventLoop) {
        self.id = id
        self.loop = loop
        hangUpChecks = Task { [id, loop] in
            while (try? await Task.sleep(for: HTTPStream.hangUpCheckInterval)) != nil {
                loop.perform(on: id) { $0.closeIfHungUp() }
            }
        }
    }

    /// Queues bytes. They are discarded if the connection has closed.
    func write(_ bytes: [UInt8]) {
        buffer.withLock { $0.waiting += bytes }
        loop.perform(on: id) { $0.requestWrite() }
    }

    /// Closes the connection after everything is written.
    func end() {
        buffer.withLock { $0.isEnded = true }
        loop.perform(on: id) { $0.requestWrite() }
    }

    /// Whether so many bytes wait that the writer should leave something out.
    var isCrowded: Bool { buffer.withLock { $0.waiting.count >= HTTPStream.crowdedBytes } }

    /// Called when the transport has finished with the stream.
    func ended() {
        hangUpChecks?.cancel()
        onEnd?()
        onEnd = nil
    }

    // MARK: On the loop's thread

    nonisolated var isEnded: Bool { buffer.withLock { $0.isEnded } }

    /// Removes all waiting bytes and returns them after `headroom` bytes; nil if no bytes wait.
    nonisolated func next(headroom: Int) -> [UInt8]? {
        buffer.withLock { buffer in
            guard !buffer.waiting.isEmpty else { return nil }
            defer { buffer.waiting = [] }
            return [UInt8](repeating: 0, count: headroom) + buffer.waiting
        }
    }
}
