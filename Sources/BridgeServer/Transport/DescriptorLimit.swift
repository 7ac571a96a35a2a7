import Foundation

/// How many files and sockets this process may have open (`RLIMIT_NOFILE`).
enum DescriptorLimit {
    /// What is open beside connections: the log, the database, listeners, what handlers open.
    static let others = 256

    /// Raises the soft limit so far that `connections` have room, which needs no rights up to the hard limit.
    ///
    /// libwebsockets has a table as long as the soft limit, all of it in memory: so no further than is needed, and where
    /// the process is the daemon's own, a higher limit comes down.
    /// - Parameter mayLower: whether nobody else in this process needs more.
    /// - Returns: how many connections there is room for.
    static func fit(_ connections: Int, mayLower: Bool) -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return connections }
        let needed = rlim_t(connections + others)
        if limit.rlim_cur < needed || (mayLower && limit.rlim_cur > needed) {
            limit.rlim_cur = min(needed, limit.rlim_max)
            guard setrlimit(resource, &limit) == 0, getrlimit(resource, &limit) == 0 else { return connections }
        }
        return min(connections, max(1, Int(clamping: limit.rlim_cur) - others))
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
