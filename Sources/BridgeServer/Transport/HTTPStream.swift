import BridgeTraffic
import Synchronization

/// A response that is written piece by piece from the main actor.
@MainActor final class HTTPStream {
    /// The number of waiting bytes from which on `isCrowded` is true.
    private static let crowdedBytes = 1 << 20
    private static let hangUpCheckInterval = Duration.milliseconds(200)

    /// Is called once, when the client has left or the whole response has been written.
    var onEnd: (@MainActor () -> Void)?
    private let id: ConnectionID
    private let loop: EventLoop
    private var hangUpChecks: Task<Void, Never>?
    nonisolated private let waiting = Mutex<[UInt8]>([])

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
        waiting.withLock { $0 += bytes }
        loop.perform(on: id) { $0.requestWrite() }
    }

    /// Whether so many bytes wait that the writer should leave something out.
    var isCrowded: Bool { waiting.withLock { $0.count >= HTTPStream.crowdedBytes } }

    /// Called when the transport has finished with the stream.
    func ended() {
        hangUpChecks?.cancel()
        onEnd?()
        onEnd = nil
    }

    // MARK: On the loop's thread

    /// Removes all waiting bytes and returns them after `headroom` bytes; nil if no bytes wait.
    nonisolated func next(headroom: Int) -> [UInt8]? {
        waiting.withLock { waiting in
            guard !waiting.isEmpty else { return nil }
            defer { waiting = [] }
            return [UInt8](repeating: 0, count: headroom) + waiting
        }
    }
}
