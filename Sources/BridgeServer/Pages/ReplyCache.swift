import DequeModule

/// The latest replies to a page's messages, as JSON text. If a connection breaks before a reply arrives, the page asks
/// for the reply when it attaches again. This type does no I/O.
struct ReplyCache {
    /// The limits on the replies that are kept; the newest is always kept. They are lower than the default limits on
    /// what may wait for a connection, so that all replies can be sent again at once.
    static let limits = Outbox.Limits(messages: 512, bytes: 16 << 20)

    private var replies: Deque<(seq: Int, bytes: [UInt8])> = []
    /// The messages whose replies came while the page had no connection.
    private var unsent: Set<Int> = []
    private var byteCount = 0

    var count: Int { replies.count }

    /// - Parameters:
    ///   - seq: the number of the message that the reply answers.
    ///   - isSent: whether the page has a connection.
    mutating func add(_ bytes: [UInt8], to seq: Int, isSent: Bool = true) {
        if !isSent { unsent.insert(seq) }
        replies.append((seq, bytes))
        byteCount += bytes.count
        while replies.count > 1, replies.count > ReplyCache.limits.messages || byteCount > ReplyCache.limits.bytes {
            let (seq, bytes) = replies.removeFirst()
            byteCount -= bytes.count
            unsent.remove(seq)
        }
    }

    /// Returns the messages whose replies came while the page had no connection, and forgets that.
    mutating func takeUnsent() -> Set<Int> {
        defer { unsent = [] }
        return unsent
    }

    /// The cached replies to these messages, in the order in which handlers gave them.
    func replies(to seqs: Set<Int>) -> [(seq: Int, bytes: [UInt8])] { replies.filter { seqs.contains($0.seq) } }
}
