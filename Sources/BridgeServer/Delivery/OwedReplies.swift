import BridgeTraffic

/// The replies that handlers still owe a page, by the number of the message, with their deadlines. `Delivery` adds a
/// reply when the handler has got the message, and records how the reply ends. On the main actor.
@MainActor final class OwedReplies {
    /// The memory that an owed reply takes, with the closures that wait for it.
    static let size = 512
    /// How many replies one page may wait for. All of them end together when the page leaves.
    static let limit = 16_384

    private struct Owed {
        /// Weak, because only the handler may retain its reply: `Reply` settles itself when it is deallocated without a
        /// call.
        weak var reply: Reply?
        let deadline: Deadlines.Token?
    }

    private var replies: [Int: Owed] = [:]
    /// Whether all of them are being settled now. Then their records are written together.
    private(set) var areEnding = false

    var count: Int { replies.count }

    func contains(_ seq: Int) -> Bool { replies[seq] != nil }

    func add(_ reply: Reply, to seq: Int, _ deadline: Deadlines.Token?) {
        replies[seq] = Owed(reply: reply, deadline: deadline)
    }

    /// - Returns: the deadline of the reply, which has ended.
    func remove(_ seq: Int) -> Deadlines.Token? { replies.removeValue(forKey: seq)?.deadline }

    /// Settles all owed replies, in the order of the messages.
    func settle(_ end: ReplyEnd) {
        areEnding = true
        for (_, owed) in replies.sorted(by: { $0.key < $1.key }) { owed.reply?.settle(end) }
        areEnding = false
    }
}
