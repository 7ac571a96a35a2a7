import DequeModule

/// The latest answers to a page's messages, as they were printed: a connection that breaks may take them with it, and
/// then the page asks for them. A value without I/O.
struct ReplyCache {
    /// How many are kept, the newest in any case. Half of what may wait for a connection, so that they can be sent
    /// again in one go.
    static let limits = Outbox.Limits(messages: 512, bytes: 16 << 20)

    private var answers: Deque<(seq: Int, bytes: [UInt8])> = []
    private var byteCount = 0

    /// - Parameter seq: the message that it answers.
    mutating func remember(_ bytes: [UInt8], to seq: Int) {
        answers.append((seq, bytes))
        byteCount += bytes.count
        while answers.count > 1, answers.count > ReplyCache.limits.messages || byteCount > ReplyCache.limits.bytes {
            byteCount -= answers.removeFirst().bytes.count
        }
    }

    /// Those to these messages, in the order in which they were given.
    func answers(to seqs: Set<Int>) -> [(seq: Int, bytes: [UInt8])] { answers.filter { seqs.contains($0.seq) } }
}
