import Foundation

/// The number of files and sockets that this process may have open (`RLIMIT_NOFILE`), and how many of them are for
/// connections.
struct DescriptorLimit: Equatable {
    /// The limit in force.
    let descriptors: Int
    /// How many connections fit. At most as many as were wanted; 0 if the daemon itself needs all descriptors.
    let connections: Int

    /// The number of descriptors that are reserved for everything but connections: the log, the database, listeners,
    /// and files that handlers open. If the limit is low, it is a quarter of them, but no fewer than the daemon needs.
    static let reserved = 256
    private static let reservedAtLeast = 32

    /// How many connections fit into a limit.
    init(_ descriptors: Int, wanted: Int) {
        let reserved = min(DescriptorLimit.reserved, max(DescriptorLimit.reservedAtLeast, descriptors / 4))
        self.descriptors = descriptors
        connections = min(wanted, max(0, descriptors - reserved))
    }

    /// The limit that this many connections need.
    static func needed(for connections: Int) -> Int {
        let (sum, overflows) = connections.addingReportingOverflow(reserved)
        return overflows ? .max : max(sum, reserved)
    }

    /// Sets the soft limit to what `connections` need. Up to the hard limit, this requires no privileges.
    ///
    /// libwebsockets allocates a table as long as the soft limit. So the limit is raised no further than needed, and
    /// lowered if it is higher.
    /// - Parameter mayLower: whether the limit may be lowered, because nothing else in this process needs more.
    static func fit(_ connections: Int, mayLower: Bool) -> DescriptorLimit {
        let needed = rlim_t(needed(for: connections))
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return DescriptorLimit(Int(needed), wanted: connections) }
        if limit.rlim_cur < needed || (mayLower && limit.rlim_cur > needed) {
            var changed = limit
            changed.rlim_cur = min(needed, limit.rlim_max)
            if setrlimit(resource, &changed) == 0 { limit = changed }
        }
        return DescriptorLimit(Int(clamping: limit.rlim_cur), wanted: connections)
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
