import BridgeProtocol
import DequeModule

/// The JSON-RPC messages that wait to be written on one WebSocket connection, coalesced into batches.
///
/// Each WebSocket message is expensive for a browser, whatever its size. So all messages that are ready when the socket
/// can be written go out as one: a single message as an object, several as a JSON-RPC batch. A batch is encoded once,
/// in the buffer that libwebsockets writes from, after room for the frame's header. This type does no I/O.
package struct Outbox: ~Copyable {
    /// Messages that go out as one WebSocket message.
    package struct Batch: ~Copyable {
        fileprivate let headroom: Int
        fileprivate var writer: JSONWriter
        fileprivate var messages = 0

        /// Begins a buffer with `headroom` bytes for the frame's header and a `[`.
        fileprivate init(headroom: Int) {
            var buffer = ByteBuffer(capacity: 512)
            buffer.append(repeating: 0, count: headroom)
            buffer.append(UInt8(ascii: "["))
            self.headroom = headroom
            writer = JSONWriter(buffer: buffer)
        }

        /// The size of its messages in bytes.
        var size: Int { writer.buffer.count - headroom - 1 }

        fileprivate mutating func append(_ write: @Sendable (inout JSONWriter) -> Void) {
            write(&writer)
            messages += 1
        }

        /// Calls `body` with the whole buffer and the index at which the payload begins. At least `headroom` bytes
        /// before the payload may be overwritten. The payload of a single message has no brackets.
        package consuming func send<R>(_ body: (UnsafeMutableRawBufferPointer, _ payload: Int) -> R) -> R {
            let payload = messages > 1 ? headroom : headroom + 1
            if messages > 1 { writer.buffer.append(UInt8(ascii: "]")) }
            return writer.buffer.withMutableBytes { body($0, payload) }
        }
    }

    /// The limits on what may wait. A connection whose peer leaves more bytes unread is closed with 1013 at the end of the
    /// round, and one whose peer leaves more messages unread if it reads nothing for a time: many small answers, such as
    /// the refusals of one batch, are ready before any peer can read them.
    package struct Limits: Sendable, Equatable {
        package var messages: Int
        package var bytes: Int

        package init(messages: Int, bytes: Int) {
            self.messages = messages
            self.bytes = bytes
        }
    }

    /// The size at which a batch is closed, so that one frame does not keep its reader busy for long.
    static let batchBytes = 256 << 10

    private let headroom: Int
    private let limits: Limits
    /// Closed batches, oldest first.
    private var closed: Deque<Box> = []
    /// The batch that further messages are added to.
    private var open: Batch?
    private var waitingMessages = 0
    private var isDiscarding = false
    /// Whether messages were appended while as many bytes were waiting as may wait.
    private(set) var isOverfull = false
    /// The size of the waiting messages.
    private(set) var bytes = 0

    init(headroom: Int, limits: Limits) {
        self.headroom = headroom
        self.limits = limits
    }

    var isEmpty: Bool { waitingMessages == 0 }
    /// Whether as many bytes wait as may.
    var isFull: Bool { bytes >= limits.bytes }
    /// Whether half of the messages or bytes that may wait are waiting.
    var isCrowded: Bool { waitingMessages >= limits.messages / 2 || bytes >= limits.bytes / 2 }

    var hasTooManyMessages: Bool { waitingMessages > limits.messages }

    /// Appends one JSON-RPC message, as `write` prints it. Returns false if too many bytes wait since this message.
    mutating func append(_ write: @Sendable (inout JSONWriter) -> Void) -> Bool {
        if isDiscarding { return true }
        let wasFull = isFull
        var batch = open.take() ?? Batch(headroom: headroom)
        let before = batch.size
        // The writer puts commas between the messages of a batch.
        batch.append(write)
        bytes += batch.size - before
        waitingMessages += 1
        if batch.size < Outbox.batchBytes { open = consume batch } else { closed.append(Box(batch)) }
        guard wasFull, !isOverfull else { return true }
        isOverfull = true
        return false
    }

    /// Removes and returns the oldest batch.
    mutating func next() -> Batch? {
        guard let batch = closed.popFirst()?.take() ?? open.take() else { return nil }
        waitingMessages -= batch.messages
        bytes -= batch.size
        if isOverfull { isOverfull = isFull }
        return batch
    }

    /// Drops all messages, and those that are appended from now on.
    mutating func discard() {
        isDiscarding = true
        isOverfull = false
        closed = []
        open = nil
        (waitingMessages, bytes) = (0, 0)
    }

    /// Makes a batch, which is not copyable, an element of a collection.
    private final class Box {
        private var batch: Batch?

        init(_ batch: consuming Batch) { self.batch = consume batch }

        func take() -> Batch? { batch.take() }
    }
}
