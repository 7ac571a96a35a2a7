import BridgeProtocol
import BridgeTraffic
import DequeModule

/// Sends the replies to messages, caches the latest ones in case a connection breaks, and counts the memory of owed and
/// of cached replies. If memory is short, cached replies are dropped. On the main actor.
@MainActor final class Replies {
    private nonisolated static let forgotten = RPCError(
        .queueFull, "The reply was lost with the connection, and the daemon keeps only the latest ones.",
        data: ["limit": .number(Double(ReplyCache.limits.messages))])

    private let share: MemoryShare
    private let gate: Gate
    private let traffic: TrafficLog
    private let deadlines: Deadlines
    /// Returns the pages that may have cached replies.
    var pages: @MainActor () -> [Page] = { [] }

    init(_ share: MemoryShare, _ gate: Gate, _ traffic: TrafficLog, _ deadlines: Deadlines) {
        (self.share, self.gate, self.traffic, self.deadlines) = (share, gate, traffic, deadlines)
    }

    // MARK: Sending

    /// Sends the outcome of a message to the page that posted it.
    func send(_ outcome: PostOutcome, ofMessage seq: Int, to handler: String, id: RequestID?, _ page: Page) {
        switch outcome {
        case .handled(let verdict, _):
            if let error = verdict.error(aboutMessage: seq, to: handler) {
                gate.send(to: page) { $0.error(id: .null, error) }
            }
            if let id { sendReply(to: seq, of: page) { $0.valueResult(id: id, .undefined) } }
        case .settled(.success(let value)):
            sendReply(to: seq, of: page) { $0.valueResult(id: id ?? .null, value) }
        case .settled(.failure(let error)): sendReply(to: seq, of: page) { $0.error(id: id ?? .null, error) }
        }
    }

    /// Sends a reply, and caches it in case the connection breaks before it arrives.
    private func sendReply(to seq: Int, of page: Page, _ write: (inout JSONWriter) -> Void) {
        guard page.state.presence != .gone else { return }
        var writer = JSONWriter()
        write(&writer)
        let bytes = writer.bytes
        cache(bytes, to: seq, of: page)
        gate.send(to: page) { $0.raw(bytes) }
    }

    // MARK: Cached replies

    /// Caches a reply, if there is room.
    func cache(_ reply: [UInt8], to seq: Int, of page: Page) {
        guard page.state.presence != .gone, take(ReplyCache.size(of: reply)) else { return }
        let dropped = page.replies.add(reply, to: seq)
        release(dropped.bytes)
        gate.note(.replied(seq: seq, reply: reply, dropped: dropped.seqs), of: page)
    }

    /// Caches the replies that another daemon has given.
    func takeOver(_ replies: [(seq: Int, reply: [UInt8])], of page: Page) {
        for (seq, reply) in replies where take(ReplyCache.size(of: reply)) {
            release(page.replies.add(reply, to: seq).bytes)
        }
    }

    /// Drops the cached replies to a page that has gone and will not ask for them again.
    func forget(_ page: Page) {
        release(page.replies.byteCount)
        page.replies = ReplyCache()
    }

    /// Sends the replies that a document has missed. A reply that the handler has not given yet is sent later. A reply
    /// that is not cached any more is replaced by an error.
    /// - Parameter waiting: the messages that the page named.
    func sendAgain(to page: Page, _ waiting: [Int], on channel: Channel) {
        guard !waiting.isEmpty else { return }
        let missed = Set(waiting.filter { $0 <= page.state.lastSeq })
        let replies = page.replies.replies(to: missed)
        sendAgain(
            to: page, replies[...], forgotten: missed.subtracting(replies.map(\.seq)).sorted()[...], on: channel)
    }

    /// Sends replies as fast as the page reads them. There may be more of them than may wait for a page.
    private func sendAgain(
        to page: Page, _ replies: ArraySlice<(seq: Int, bytes: [UInt8])>, forgotten: ArraySlice<Int>,
        on channel: Channel
    ) {
        // A page that has attached again since has asked for all replies that it still misses.
        guard page.channel === channel else { return }
        var (replies, forgotten) = (replies, forgotten)
        while !channel.isCrowded {
            if let (_, bytes) = replies.popFirst() {
                channel.send { $0.raw(bytes) }
            } else if let seq = forgotten.popFirst() {
                if !page.owedReplies.contains(seq) { channel.send { $0.error(id: RequestID(seq), Replies.forgotten) } }
            } else {
                return
            }
        }
        deadlines.schedule(after: .milliseconds(20)) { [weak self, weak page, replies, forgotten] in
            guard let self, let page else { return }
            sendAgain(to: page, replies, forgotten: forgotten, on: channel)
        }
    }

    /// The response that the message with this number got, or an error if it is not cached any more.
    func cached(for seq: Int, id: RequestID, of page: Page) -> [UInt8] {
        if let reply = page.replies.replies(to: [seq]).first { return reply.bytes }
        var writer = JSONWriter()
        writer.error(id: id, Replies.forgotten)
        return writer.bytes
    }

    // MARK: Memory

    var limit: Int { share.limit }

    /// Counts bytes that are needed for a reply to a page. If there is no room, the pages with the most cached replies
    /// lose the older ones.
    /// - Returns: false if there is no room nevertheless.
    func take(_ bytes: Int) -> Bool {
        if share.take(bytes) { return true }
        guard bytes <= limit else { return false }
        // Frees a little more, so that the next reply finds room.
        dropCachedReplies(share.bytes + bytes - limit + limit / 16)
        return share.take(bytes)
    }

    func release(_ bytes: Int) { share.release(bytes) }

    private func dropCachedReplies(_ bytes: Int) {
        var missing = bytes
        while missing > 0 {
            let holders = pages().filter { $0.replies.byteCount > 0 }
                .sorted { ($1.replies.byteCount, $0.number) < ($0.replies.byteCount, $1.number) }
            guard !holders.isEmpty else { break }
            for page in holders where missing > 0 {
                let dropped = page.replies.removeOlderHalf()
                release(dropped)
                missing -= dropped
            }
        }
        guard missing < bytes else { return }
        traffic.problem(
            .memoryUsedUp,
            "The replies for all pages took more than \(limit) bytes, so the older ones were dropped.",
            hint: "A page whose connection broke before it read such a reply gets an error. If you need more, raise "
                + "\(setting("max-memory-bytes", "limits.memoryBytes")).")
    }
}

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
    fileprivate mutating func removeOlderHalf() -> Int {
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
