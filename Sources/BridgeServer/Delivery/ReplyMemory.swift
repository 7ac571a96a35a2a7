import BridgeProtocol
import BridgeTraffic

/// The memory of replies: what handlers owe, and what is kept in case a connection breaks. What they owe goes first. On the
/// main actor.
@MainActor final class ReplyMemory {
    private let share: MemoryShare
    private let traffic: TrafficLog
    /// Returns the pages that may keep replies.
    var pages: @MainActor () -> [PageSession] = { [] }

    init(_ share: MemoryShare, _ traffic: TrafficLog) { (self.share, self.traffic) = (share, traffic) }

    var limit: Int { share.limit }

    /// Counts bytes that are needed for a reply to a page. If there is no room, the pages of which the daemon keeps the
    /// most replies lose the older ones.
    /// - Returns: false if there is no room nevertheless.
    func take(_ bytes: Int) -> Bool {
        if share.take(bytes) { return true }
        guard bytes <= limit else { return false }
        // A little more, so that not every reply leads here.
        dropKeptReplies(share.bytes + bytes - limit + limit / 16)
        return share.take(bytes)
    }

    func release(_ bytes: Int) { share.release(bytes) }

    private func dropKeptReplies(_ bytes: Int) {
        var missing = bytes
        while missing > 0 {
            let keepers = pages().filter { $0.replyCache.byteCount > 0 }
                .sorted { ($1.replyCache.byteCount, $0.number) < ($0.replyCache.byteCount, $1.number) }
            guard !keepers.isEmpty else { break }
            for session in keepers where missing > 0 {
                let dropped = session.replyCache.removeOlderHalf()
                release(dropped)
                missing -= dropped
            }
        }
        guard missing < bytes else { return }
        traffic.problem(
            "memoryUsedUp",
            "The replies for all pages took more than \(limit) bytes, so the older ones were dropped.",
            hint: "A page whose connection broke before it read such a reply gets an error. If you need more, raise "
                + "\(setting("max-memory-bytes", "limits.memoryBytes")).")
    }
}
