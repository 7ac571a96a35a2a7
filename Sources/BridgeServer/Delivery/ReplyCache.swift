import DequeModule

/// The latest replies to a page's messages, as JSON text. If a connection breaks before a reply arrives, the page asks
/// for the reply when it attaches again. This type does no I/O.
struct ReplyCache {
    /// The limits on the cached replies; the newest one always stays. They are lower than the default limits on what
    /// may wait for a connection, so that all replies can be sent again at once.
    static let limits = Outbox.Limits(messages: 512, bytes: 16 << 20)

    private var replies: Deque<(seq: Int, bytes: [UInt8])> = []
    /// The memory that the replies take.
    private(set) var byteCount = 0

    var count: Int { replies.count }

    /// The memory that a reply takes: its bytes, the array around them, and its place in the cache.
    static func size(of reply: [UInt8]) -> Int { reply.count + 64 }

    /// - Parameter seq: the number of the message that the reply answers.
    /// - Returns: the replies that were dropped: their size, and the messages that they answer.
    mutating func add(_ bytes: [UInt8], to seq: Int) -> (bytes: Int, seqs: [Int]) {
        replies.append((seq, bytes))
        byteCount += ReplyCache.size(of: bytes)
        let before = byteCount
        var seqs: [Int] = []
        while replies.count > 1, replies.count > ReplyCache.limits.messages || byteCount > ReplyCache.limits.bytes {
            seqs.append(removeFirst())
        }
        return (before - byteCount, seqs)
    }

    /// All replies, in the order in which handlers gave them.
    var all: some Sequence<(seq: Int, bytes: [UInt8])> { replies }

    /// - Returns: the size of the replies that were dropped.
    mutating func removeOlderHalf() -> Int {
        let before = byteCount
        for _ in 0..<(replies.count + 1) / 2 { removeFirst() }
        return before - byteCount
    }

    /// - Returns: the number of the message that the reply answers.
    @discardableResult private mutating func removeFirst() -> Int {
        let (seq, bytes) = replies.removeFirst()
        byteCount -= ReplyCache.size(of: bytes)
        return seq
    }

    /// The cached replies to these messages, in the order in which handlers gave them.
    func replies(to seqs: Set<Int>) -> [(seq: Int, bytes: [UInt8])] { replies.filter { seqs.contains($0.seq) } }
}
