import BridgeProtocol
import Synchronization

/// Sends messages on one WebSocket connection and closes it, from the main actor.
///
/// A channel may outlive its connection. It drops messages that are sent after the connection has closed. The loop
/// reports the end of the connection with the event `closed`.
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

    /// Queues one JSON-RPC message, as `write` prints it.
    ///
    /// All messages that are queued before the socket can be written go out as one batch. If the peer leaves too much
    /// unread, its connection is closed with 1013. The peer may connect again and resume.
    func send(_ write: @Sendable (inout JSONWriter) -> Void) {
        let (wasEmpty, accepted) = outbox.withLock { outbox in (outbox.isEmpty, outbox.append(write)) }
        if !accepted {
            loop.perform(on: id) { $0.dropSlowReader() }
        } else if wasEmpty {
            loop.perform(on: id) { $0.writeAfterRound() }
        }
    }

    /// Writes the queued messages, then closes the connection.
    /// - Parameter reason: the text in the close frame. It is cut after 120 bytes; RFC 6455, section 5.5, allows 123.
    func close(_ code: CloseCode, _ reason: String) {
        loop.perform(on: id) { $0.close(code, reason) }
    }

    /// Removes and returns the batch to write next. Called on the loop's thread.
    func nextBatch() -> Outbox.Batch? {
        outbox.withLock { $0.next() }
    }

    var hasWaiting: Bool { outbox.withLock { !$0.isEmpty } }

    /// Whether the outbox is half full. A sender that can leave messages out should do so now.
    var isCrowded: Bool { outbox.withLock { $0.isCrowded } }
}

/// The number of a connection within its loop: 1, 2, 3, …
typealias ConnectionID = UInt64

/// Sends the response to one HTTP request, from the main actor. Only one response may be sent.
struct HTTPResponder: Sendable {
    let id: ConnectionID
    let loop: EventLoop

    func respond(_ response: HTTPResponse) {
        loop.perform(on: id) { $0.respond(response) }
    }

    /// Begins a response that continues until its stream is ended or the client leaves.
    @MainActor func stream(contentType: String) -> HTTPStream {
        let stream = HTTPStream(id: id, loop: loop)
        loop.perform { [id] context in
            guard let connection = context.connections[id] else { return context.loop.deliver(.streamEnded(stream)) }
            connection.respond(contentType: contentType, stream)
        }
        return stream
    }
}
