import BridgeProtocol
import DequeModule

/// What waits to be written on one WebSocket connection: JSON-RPC messages, coalesced into batches.
///
/// A browser pays for each WebSocket message and little for its size, so whatever is ready by the time the socket can
/// be written goes out as one message: a bare object where there is one, else a JSON-RPC batch. A batch is encoded
/// once, in the buffer that libwebsockets writes from: the bytes before it are for the frame's header. A value type
/// without I/O; its owner guards it.
struct Outbox: ~Copyable {
    /// Messages that go out as one.
    struct Batch: ~Copyable {
        fileprivate let headroom: Int
        fileprivate var writer: JSONWriter
        fileprivate var messages = 0

        /// A buffer with room for the WebSocket header, then `[`, then the messages.
        fileprivate init(headroom: Int) {
            var buffer = ByteBuffer(capacity: 512)
            buffer.append(repeating: 0, count: headroom)
            buffer.append(UInt8(ascii: "["))
            self.headroom = headroom
            writer = JSONWriter(buffer: buffer)
        }

        /// The bytes of its messages.
        fileprivate var size: Int { writer.buffer.count - headroom - 1 }

        fileprivate mutating func append(_ write: @Sendable (inout JSONWriter) -> Void) {
            write(&writer)
            messages += 1
        }

        /// Hands out the payload and all that stands before it: there are `headroom` bytes to overwrite. A single
        /// message leaves out the bracket, and has one more.
        consuming func send<R>(_ body: (UnsafeMutableRawBufferPointer, _ payload: Int) -> R) -> R {
            let payload = messages > 1 ? headroom : headroom + 1
            if messages > 1 { writer.buffer.append(UInt8(ascii: "]")) }
            return writer.buffer.withMutableBytes { body($0, payload) }
        }
    }

    /// What may wait. A connection whose reader leaves more unread is closed with 1013.
    struct Limits: Sendable, Equatable {
        var messages: Int
        var bytes: Int
    }

    /// A batch that has reached this size is closed: one frame must not keep its reader busy for long.
    static let batchBytes = 256 << 10

    private let headroom: Int
    private let limits: Limits
    /// Closed batches, oldest first.
    private var closed: Deque<Box> = []
    /// The batch that takes more.
    private var open: Batch?
    private var waitingMessages = 0
    private var waitingBytes = 0

    init(headroom: Int, limits: Limits) {
        self.headroom = headroom
        self.limits = limits
    }

    var isEmpty: Bool { waitingMessages == 0 }
    /// Half of what may wait does.
    var isCrowded: Bool { waitingMessages >= limits.messages / 2 || waitingBytes >= limits.bytes / 2 }

    /// Appends one JSON-RPC message, as `write` prints it. False if that is more than may wait: the message is dropped.
    mutating func append(_ write: @Sendable (inout JSONWriter) -> Void) -> Bool {
        guard waitingMessages < limits.messages, waitingBytes < limits.bytes else { return false }
        var batch = open.take() ?? Batch(headroom: headroom)
        let before = batch.size
        // The writer sets the commas between the messages of a batch.
        batch.append(write)
        waitingBytes += batch.size - before
        waitingMessages += 1
        if batch.size < Outbox.batchBytes { open = consume batch } else { closed.append(Box(batch)) }
        return true
    }

    /// Takes out the oldest batch.
    mutating func next() -> Batch? {
        guard let batch = closed.popFirst()?.take() ?? open.take() else { return nil }
        waitingMessages -= batch.messages
        waitingBytes -= batch.size
        return batch
    }

    /// A batch that can stand in a collection.
    private final class Box {
        private var batch: Batch?

        init(_ batch: consuming Batch) { self.batch = consume batch }

        func take() -> Batch? { batch.take() }
    }
}
