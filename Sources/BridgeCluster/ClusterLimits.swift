/// The limits on what a cluster stores in Redis, and its times.
enum ClusterLimits {
    /// How many records of the traffic stay in Redis, or some more: Redis removes them in groups.
    static let trafficRecords = 100_000
    /// For how many seconds the state of a page stays after its latest change or heartbeat.
    static let pageSeconds = 3_600
    /// For how many seconds the other keys of a node stay after its latest heartbeat.
    static let nodeSeconds = 60
    static let heartbeat = Duration.seconds(1)
    /// After how many milliseconds without a heartbeat a node counts as gone.
    static let silenceMilliseconds = 5_000
    /// The numbers of records. Those of a Redis script are doubles, in which 2^53 + 1 is 2^53; this leaves room, also above
    /// the IDs that Redis makes of the time if somebody else writes to the traffic.
    static let numbers = 0...(1 << 48)
    /// How many calls may wait in the inbox of a node.
    static let inboxEntries = 10_000
}
