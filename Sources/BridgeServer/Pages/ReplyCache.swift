import DequeModule

/// The latest replies to a page's messages, as they were printed. If a connection breaks before a reply arrives, the
/// page asks for it again. A value without I/O.
struct ReplyCache {
    /// How many replies are kept; the newest is always kept. These are fewer than the messages and bytes that may wait
    /// for a connection, so that all replies can be sent again at once.
    static let limits = Outbox.Limits(messages: 512, bytes: 16 << 20)

    private var replies: Deque<(seq: Int, bytes: [UInt8])> = []
    private var byteCount = 0

    /// - Parameter seq: the number of the message that the reply answers.
    mutating func add(_ bytes: [UInt8], to seq: Int) {
        replies.append((seq, bytes))
        byteCount += bytes.count
        while replies.count > 1, replies.count > ReplyCache.limits.messages || byteCount > ReplyCache.limits.bytes {
            byteCount -= replies.removeFirst().bytes.count
        }
    }

    /// The replies to these messages, in the order in which they were given.
    func replies(to seqs: Set<Int>) -> [(seq: Int, bytes: [UInt8])] { replies.filter { seqs.contains($0.seq) } }
}
