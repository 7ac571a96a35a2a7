/// What to do about an error of Redis.
enum RedisRemedy {
    private static let remedies: [(start: String, remedy: String)] = [
        ("OOM", "Redis is full: raise its maxmemory, or free some."),
        ("MISCONF", "Redis cannot write its files: free some space on its disk."),
        ("READONLY", "It is a replica: give --cluster the address of the primary."),
        (
            "NOPERM",
            "Its user may not do this: allow EVALSHA, SCRIPT, XADD, XREAD, XDEL, HSET and what the scripts use."
        ),
        ("NOAUTH", "Give the password: redis://:PASSWORD@host."),
        ("WRONGPASS", "Correct the user or the password in --cluster."),
        ("ERR invalid password", "Correct the password in --cluster."),
        ("LOADING", "It reads its files after a start; wait."),
        (
            "MOVED",
            "It is a node of a Redis Cluster that does not have this name's keys: give the address of the one that has."
        ),
        ("CLUSTERDOWN", "Its Redis Cluster is down."),
        ("ERR unknown command", "It is too old, or a server that only looks like Redis."),
    ]

    static func text(for error: String) -> String {
        remedies.first { error.hasPrefix($0.start) }?.remedy ?? "Look at its log."
    }
}
