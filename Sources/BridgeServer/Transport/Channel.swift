import BridgeProtocol
import Synchronization

/// The WebSocket connections that channels write on and close. A simulation has a transport of its own.
package protocol ChannelTransport: AnyObject, Sendable {
    /// Writes a channel's messages at the end of the loop's round. Closes the connection if its socket does not take
    /// them, and the channel is overfull.
    func writeAfterRound(_ id: ConnectionID)
    /// Writes the queued messages, then closes the connection.
    func close(_ id: ConnectionID, _ code: CloseCode, _ reason: String)
    /// Adds bytes that now wait on a channel, or subtracts with a negative number.
    func count(_ bytes: Int)
    /// Stops reading what a peer sends, or goes on.
    func setReading(_ id: ConnectionID, _ isReading: Bool)
}

extension ChannelTransport {
    package func count(_ bytes: Int) {}
    package func setReading(_ id: ConnectionID, _ isReading: Bool) {}
}

/// Sends messages on one WebSocket connection and closes it, from the main actor.
///
/// A channel may outlive its connection. It drops messages that are sent after the connection has closed. The loop
/// reports the end of the connection with the event `closed`.
package final class Channel: Sendable {
    package let id: ConnectionID
    package let role: ConnectionRole
    /// Who is at the other end.
    let sender: PageSender
    private let transport: any ChannelTransport
    private let outbox: Mutex<Outbox>

    package init(
        id: ConnectionID, role: ConnectionRole, sender: PageSender = PageSender(), transport: any ChannelTransport,
        limits: Outbox.Limits
    ) {
        self.id = id
        self.role = role
        self.sender = sender
        self.transport = transport
        outbox = Mutex(Outbox(headroom: EventLoop.headroom, limits: limits))
    }

    /// Queues one JSON-RPC message, as `write` prints it.
    ///
    /// All messages that are queued before the socket can be written go out as one batch. If the peer leaves too much
    /// unread, its connection is closed with 1013. The peer may connect again and resume.
    func send(_ write: @Sendable (inout JSONWriter) -> Void) {
        let (isDue, bytes) = outbox.withLock { outbox in
            let (wasEmpty, before) = (outbox.isEmpty, outbox.bytes)
            let isWithinLimits = outbox.append(write)
            return (wasEmpty || !isWithinLimits, outbox.bytes - before)
        }
        transport.count(bytes)
        if isDue { transport.writeAfterRound(id) }
    }

    /// Writes the queued messages, then closes the connection.
    /// - Parameter reason: the text in the close frame. It is cut after 120 bytes; RFC 6455, section 5.5, allows 123.
    func close(_ code: CloseCode, _ reason: String) {
        transport.close(id, code, reason)
    }

    /// Stops reading what the peer sends, which then waits in its own socket, or goes on.
    func setReading(_ isReading: Bool) { transport.setReading(id, isReading) }

    /// Removes and returns the batch to write next. Called on the loop's thread.
    package func nextBatch() -> Outbox.Batch? {
        var bytes = 0
        let batch = outbox.withLock { outbox in
            bytes = outbox.bytes
            let batch = outbox.next()
            bytes -= outbox.bytes
            return batch
        }
        transport.count(-bytes)
        return batch
    }

    /// Drops the messages that wait, and all that follow. Called on the loop's thread when the connection has ended.
    package func discard() {
        let bytes = outbox.withLock { outbox in
            defer { outbox.discard() }
            return outbox.bytes
        }
        transport.count(-bytes)
    }

    /// How many bytes wait to be written.
    package var waitingBytes: Int { outbox.withLock { $0.bytes } }

    package var hasWaiting: Bool { outbox.withLock { !$0.isEmpty } }

    /// Whether more bytes wait than may.
    package var isOverfull: Bool { outbox.withLock { $0.isOverfull } }

    /// Whether more messages wait than may, if the peer does not read.
    package var hasTooManyMessages: Bool { outbox.withLock { $0.hasTooManyMessages } }

    /// Whether as many bytes wait as may. A sender that can wait should do so now.
    var isFull: Bool { outbox.withLock { $0.isFull } }

    /// Whether the outbox is half full. A sender that can leave messages out should do so now.
    var isCrowded: Bool { outbox.withLock { $0.isCrowded } }
}

/// The number of a connection within its loop: 1, 2, 3, …
package typealias ConnectionID = UInt64

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
