import BridgeProtocol
import Synchronization

/// The near end of one WebSocket connection: what the hub sends through, on the main actor.
///
/// It outlives the connection; what is sent after the end is dropped, and the hub has heard `closed` by then.
final class Channel: Sendable {
    let id: ConnectionID
    let role: ConnectionRole
    private let loop: EventLoop
    private let outbox: Mutex<Outbox>

    init(id: ConnectionID, role: ConnectionRole, loop: EventLoop, limits: Outbox.Limits) {
        self.id = id
        self.role = role
        self.loop = loop
        outbox = Mutex(Outbox(headroom: EventLoop.headroom, limits: limits))
    }

    /// Queues one JSON-RPC message, as `write` prints it. What is queued before the socket can be written goes out as
    /// one batch. A reader that leaves too much unread is closed with 1013, and may resume.
    func send(_ write: @Sendable (inout JSONWriter) -> Void) {
        let (wasEmpty, accepted) = outbox.withLock { outbox in (outbox.isEmpty, outbox.append(write)) }
        if !accepted {
            loop.perform { $0.dropSlowReader(self.id) }
        } else if wasEmpty {
            loop.perform { $0.writeSoon(self.id) }
        }
    }

    /// Writes what is queued, then closes. `reason` reaches the peer; RFC 6455 allows 123 bytes.
    func close(_ code: CloseCode, _ reason: String) {
        loop.perform { $0.close(self.id, code, reason) }
    }

    /// Takes out what is to be written next. For the loop.
    func nextBatch() -> Outbox.Batch? {
        outbox.withLock { $0.next() }
    }

    var hasWaiting: Bool { outbox.withLock { !$0.isEmpty } }

    /// Whether half of what may wait does: time to leave out what can be left out.
    var isCrowded: Bool { outbox.withLock { $0.isCrowded } }
}

/// Counts the connections of one loop: 1, 2, 3, …
typealias ConnectionID = UInt64

/// The way to answer one HTTP request, once, on the main actor.
struct HTTPResponder: Sendable {
    let id: ConnectionID
    let loop: EventLoop

    func respond(_ response: HTTPResponse) {
        loop.perform { $0.respond(id, response) }
    }

    /// Begins a response that goes on until its stream is ended, or the client leaves.
    @MainActor func stream(contentType: String) -> HTTPStream {
        let stream = HTTPStream(id: id, loop: loop)
        loop.perform { $0.respond(id, contentType: contentType, stream) }
        return stream
    }
}
