import DequeModule

/// The messages of one document that the daemon has not acknowledged, in order (docs/protocol.md, "Sequence numbers and
/// acknowledgements"). It does no I/O.
struct PageOutbox {
    struct Message {
        let seq: Int
        /// The JSON-RPC frame.
        let frame: [UInt8]
        /// Called once, with how the message ended.
        let end: @MainActor (MessageEnd) -> Void
        let replies: Bool
    }

    /// The number of the latest message; 0 before the first one.
    private(set) var seq = 0
    private var kept: Deque<Message> = []
    /// The messages that wait for a reply, by number.
    private var owed: [Int: @MainActor (MessageEnd) -> Void] = [:]

    var isEmpty: Bool { kept.isEmpty }

    /// The numbers of the messages that wait for a reply, in ascending order.
    var waiting: [Int] { owed.keys.sorted() }

    /// Adds a message and returns its frame.
    mutating func add(_ message: ScriptMessage, end: @escaping @MainActor (MessageEnd) -> Void) -> [UInt8] {
        seq += 1
        let frame = message.frame(seq: seq)
        kept.append(Message(seq: seq, frame: frame, end: end, replies: message.replies))
        if message.replies { owed[seq] = end }
        return frame
    }

    /// Takes the number of a call that is sent separately.
    mutating func reserveNumber() -> Int {
        seq += 1
        return seq
    }

    /// Removes the messages up to `seq`, and ends those that expect no reply.
    @MainActor mutating func acknowledge(through seq: Int) {
        while let message = kept.first, message.seq <= seq {
            kept.removeFirst()
            if !message.replies { message.end(.handled) }
        }
    }

    /// Ends a message that expects a reply. Does nothing if it has ended already.
    @MainActor mutating func settle(_ seq: Int, _ end: MessageEnd) {
        owed.removeValue(forKey: seq)?(end)
    }

    /// The frames of all messages that are not acknowledged.
    var frames: [[UInt8]] { kept.map(\.frame) }

    /// Ends the messages that another run of the daemon had acknowledged and not replied to: nobody will reply now.
    @MainActor mutating func forgetReplies(_ error: MessageEnd) {
        let unacknowledged = Set(kept.map(\.seq))
        for seq in waiting where !unacknowledged.contains(seq) { settle(seq, error) }
    }
}
