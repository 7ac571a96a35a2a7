import BridgeProtocol

/// What waits to be written on one WebSocket connection: JSON-RPC messages, coalesced into batches.
///
/// A browser pays for each WebSocket message and little for its size, so whatever is ready by the time the socket can
/// be written goes out as one message: a bare object where there is one, else a JSON-RPC batch. A batch is encoded
/// once, in the buffer that libwebsockets writes from: the bytes before it are for the frame's header. A value type
/// without I/O; its owner guards it.
struct Outbox {
    /// A buffer with room for the WebSocket header, then `[`, then the messages.
    struct Batch {
        fileprivate var writer: JSONWriter
        fileprivate(set) var messages = 0

        fileprivate init(headroom: Int) {
            var bytes = [UInt8](repeating: 0, count: headroom)
            bytes.append(UInt8(ascii: "["))
            writer = JSONWriter(bytes: bytes)
        }

        /// The bytes that it has grown by.
        fileprivate mutating func append(_ write: @Sendable (inout JSONWriter) -> Void) -> Int {
            let before = writer.bytes.count
            write(&writer)
            messages += 1
            return writer.bytes.count - before
        }

        /// The buffer, and where in it the payload begins. There are `headroom` bytes to overwrite before the payload:
        /// a single message leaves out the bracket, and has one more.
        consuming func finished(headroom: Int) -> (buffer: [UInt8], payload: Int) {
            guard messages > 1 else { return (writer.bytes, headroom + 1) }
            writer.bytes.append(UInt8(ascii: "]"))
            return (writer.bytes, headroom)
        }
    }

    /// What may wait. A connection whose reader leaves more unread is closed with 1013.
    struct Limits: Sendable, Equatable {
        var messages = 1_024
        var bytes = 64 << 20
    }

    /// A batch that has reached this size is closed: one frame must not keep its reader busy for long.
    static let batchBytes = 256 << 10

    private let headroom: Int
    private let limits: Limits
    private var batches: [Batch] = []
    private var waitingMessages = 0
    private var waitingBytes = 0

    init(headroom: Int, limits: Limits) {
        self.headroom = headroom
        self.limits = limits
    }

    var isEmpty: Bool { batches.isEmpty }
    /// Half of what may wait does.
    var isCrowded: Bool { waitingMessages >= limits.messages / 2 || waitingBytes >= limits.bytes / 2 }

    /// Appends one JSON-RPC message, as `write` prints it. False if that is more than may wait: the message is dropped.
    mutating func append(_ write: @Sendable (inout JSONWriter) -> Void) -> Bool {
        guard waitingMessages < limits.messages, waitingBytes < limits.bytes else { return false }
        if batches.last.map({ $0.writer.bytes.count >= Outbox.batchBytes }) ?? true {
            batches.append(Batch(headroom: headroom))
        }
        // The writer sets the commas between the messages of a batch.
        waitingBytes += batches[batches.count - 1].append(write)
        waitingMessages += 1
        return true
    }

    /// Takes out the oldest batch.
    mutating func next() -> Batch? {
        guard !batches.isEmpty else { return nil }
        let batch = batches.removeFirst()
        waitingMessages -= batch.messages
        waitingBytes -= batch.writer.bytes.count - headroom - 1
        return batch
    }
}
