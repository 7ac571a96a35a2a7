extension Hub {
    /// How much the hub keeps. The simulation checks that none of it grows without a limit.
    package struct Sizes {
        package let connections: Int
        /// The pages that are gone, and whose beacons may still come.
        package let departed: Int
        /// The most evaluations that wait for one page.
        package let evaluations: Int
        /// The most replies that are kept for one page.
        package let replies: Int
        /// The handlers whose messages are counted.
        package let counters: Int
    }

    package var sizes: Sizes {
        Sizes(
            connections: connectionCount, departed: registry.departedCount,
            evaluations: registry.sessions.map(\.evaluations.count).max() ?? 0,
            replies: registry.sessions.map(\.replyCache.count).max() ?? 0, counters: webViews.messageCounts.count)
    }
}
