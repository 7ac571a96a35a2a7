import Foundation

/// The number of files and sockets that this process may have open (`RLIMIT_NOFILE`).
enum DescriptorLimit {
    /// The number of descriptors that are reserved for everything but connections: the log, the database, listeners,
    /// and files that handlers open.
    static let others = 256

    /// Sets the soft limit to what `connections` need. Up to the hard limit, this requires no privileges.
    ///
    /// libwebsockets allocates a table as long as the soft limit. So the limit is raised no further than needed, and
    /// lowered if it is higher.
    /// - Parameter mayLower: whether the limit may be lowered, because nothing else in this process needs more.
    /// - Returns: the number of connections that the limit has room for, at most `connections`.
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
