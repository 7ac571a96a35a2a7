import BridgeProtocol

/// The memory of replies. What handlers owe goes before what is kept only in case a connection breaks.
extension Hub {
    /// Counts bytes that are needed for a reply to a page. If there is no room, the pages of which the daemon keeps the
    /// most replies lose the older ones.
    /// - Returns: false if there is no room nevertheless.
    func takeForReply(_ bytes: Int) -> Bool {
        if memory.replies.take(bytes) { return true }
        let limit = memory.replies.limit
        guard bytes <= limit else { return false }
        // A little more, so that not every reply leads here.
        dropKeptReplies(memory.replies.bytes + bytes - limit + limit / 16)
        return memory.replies.take(bytes)
    }

    private func dropKeptReplies(_ bytes: Int) {
        var missing = bytes
        while missing > 0 {
            let keepers = registry.sessions.filter { $0.replyCache.byteCount > 0 }
                .sorted { ($1.replyCache.byteCount, $0.number) < ($0.replyCache.byteCount, $1.number) }
            guard !keepers.isEmpty else { break }
            for session in keepers where missing > 0 {
                let dropped = session.replyCache.removeOlderHalf()
                memory.replies.release(dropped)
                missing -= dropped
            }
        }
        guard missing < bytes else { return }
        traffic.problem(
            "memoryUsedUp",
            "The replies for all pages took more than \(memory.replies.limit) bytes, so the older ones were dropped.",
            hint: "A page whose connection broke before it read such a reply gets an error. If you need more, raise "
                + "\(setting("max-memory-bytes", "limits.memoryBytes")).")
    }
}
