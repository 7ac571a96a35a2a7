import BridgeProtocol
import DequeModule

/// The messages of one document that the daemon has not acknowledged, in order (docs/protocol.md, "Sequence numbers and
/// acknowledgements"). It does no I/O.
struct PageOutbox {
    struct Message {
        let seq: Int
        let handler: String
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
    private let limits: DriverLimits
    private let memory: DriverMemory
    /// The bytes of `kept`.
    private let share: DriverMemory.Share

    @MainActor init(_ limits: DriverLimits, _ memory: DriverMemory) {
        self.limits = limits
        self.memory = memory
        share = DriverMemory.Share(of: memory)
    }

    /// Why a message is not kept.
    struct Refusal: Error {
        /// The code of the problem.
        let code: String
        let reason: String
    }

    var isEmpty: Bool { kept.isEmpty }

    /// The numbers of the messages that wait for a reply, in ascending order.
    var waiting: [Int] { owed.keys.sorted() }

    /// Adds a message and returns its frame.
    /// - Throws: `Refusal` if the daemon would refuse it, or if too much is kept.
    @MainActor mutating func add(
        _ message: ScriptMessage, _ daemon: FrameLimits, end: @escaping @MainActor (MessageEnd) -> Void
    ) throws(Refusal) -> [UInt8] {
        let frame = message.frame(seq: seq + 1)
        if let objection = daemon.objection(to: frame) { throw Refusal(code: "messageTooBig", reason: objection) }
        guard max(kept.count, owed.count) < limits.messages, share.bytes + frame.count <= limits.messageBytes,
            !memory.isFull
        else {
            throw Refusal(code: "queueFull", reason: "too many messages wait for the daemon (-32006)")
        }
        seq += 1
        share.add(frame.count)
        kept.append(
            Message(seq: seq, handler: message.handler, frame: frame, end: end, replies: message.replies))
        if message.replies { owed[seq] = end }
        return frame
    }

    /// Removes the messages that the daemon would refuse.
    @MainActor mutating func takeRefused(_ daemon: FrameLimits) -> [(message: Message, refusal: Refusal)] {
        let refused = kept.compactMap { message in
            daemon.objection(to: message.frame).map { (message, Refusal(code: "messageTooBig", reason: $0)) }
        }
        guard !refused.isEmpty else { return [] }
        let numbers = Set(refused.map(\.0.seq))
        kept.removeAll { numbers.contains($0.seq) }
        for (message, _) in refused {
            share.add(-message.frame.count)
            owed[message.seq] = nil
        }
        return refused
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
            share.add(-message.frame.count)
            if !message.replies { message.end(.handled) }
        }
    }

    /// Ends a message that expects a reply. Does nothing if it has ended already.
    @MainActor mutating func settle(_ seq: Int, _ end: MessageEnd) {
        owed.removeValue(forKey: seq)?(end)
    }

    /// The frames of all messages that are not acknowledged.
    var frames: [[UInt8]] { kept.map(\.frame) }

    /// Ends the messages that another run of the daemon had acknowledged and not replied to: no reply will come.
    @MainActor mutating func forgetReplies(_ error: MessageEnd) {
        let unacknowledged = Set(kept.map(\.seq))
        for seq in waiting where !unacknowledged.contains(seq) { settle(seq, error) }
    }
}

extension RPCError {
    /// The error of a message that the driver does not send, in the words of `bridge.js`.
    static func undelivered(_ handler: String, _ reason: String) -> RPCError {
        let name = PageText.cut(handler, to: PageText.handler)
        return RPCError(.handlerRejected, "bridged: the message to \"\(name)\" was not delivered: \(reason).")
    }
}
