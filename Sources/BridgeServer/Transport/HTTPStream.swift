import BridgeTraffic
import Synchronization

/// A response that is written bit by bit, on the main actor.
@MainActor final class HTTPStream {
    private struct Buffer {
        var waiting: [UInt8] = []
        var isEnded = false
    }

    /// What may wait for a client that reads slowly, before its writer should leave something out.
    private static let crowdedBytes = 1 << 20
    private static let watchInterval = Duration.milliseconds(200)

    /// Is called once, when the client is gone or all is written.
    var onEnd: (@MainActor () -> Void)?
    private let id: ConnectionID
    private let loop: EventLoop
    private var watch: Task<Void, Never>?
    nonisolated private let buffer = Mutex(Buffer())

    init(id: ConnectionID, loop: EventLoop) {
        self.id = id
        self.loop = loop
        // See `Connection.closeIfHungUp`.
        watch = Task { [id, loop] in
            while (try? await Task.sleep(for: HTTPStream.watchInterval)) != nil {
                loop.perform { $0.closeIfHungUp(id) }
            }
        }
    }

    /// What is written after the end goes nowhere.
    func write(_ bytes: [UInt8]) {
        buffer.withLock { $0.waiting += bytes }
        loop.perform { [id] in $0.requestWrite(id) }
    }

    /// Closes the connection once all is written.
    func end() {
        buffer.withLock { $0.isEnded = true }
        loop.perform { [id] in $0.requestWrite(id) }
    }

    var isCrowded: Bool { buffer.withLock { $0.waiting.count >= HTTPStream.crowdedBytes } }

    /// The transport has let go of it.
    func ended() {
        watch?.cancel()
        onEnd?()
        onEnd = nil
    }

    // MARK: For the loop

    nonisolated var isEnded: Bool { buffer.withLock { $0.isEnded } }

    /// Takes out all that waits, behind `headroom` bytes. Nil where nothing does.
    nonisolated func next(headroom: Int) -> [UInt8]? {
        buffer.withLock { buffer in
            guard !buffer.waiting.isEmpty else { return nil }
            defer { buffer.waiting = [] }
            return [UInt8](repeating: 0, count: headroom) + buffer.waiting
        }
    }
}
