import CSpawn
import Foundation

/// Whether the system gives this process the threads that it needs.
///
/// If libdispatch cannot start a thread, it tries again each second, and nothing is said or done until then: no line is
/// printed, and no signal handled.
package enum ThreadRoom {
    /// The most that a daemon has needed at once in tests, with some to spare.
    private static let needed: Int32 = 12

    /// - Returns: what is wrong, as sentences that say what to do; nil if there is room.
    package static func problem() -> String? {
        let count = CSpawn_count_threads(needed)
        guard count < needed else { return nil }
        let found = "This process may have \(count) more threads, and needs \(needed)."
        var space = rlimit()
        guard getrlimit(Limit.addressSpace, &space) == 0, space.rlim_cur < Limit.none else {
            return "\(found) The number of processes is limited: raise ulimit -u, or the pids limit of the container."
        }
        return
            "\(found) Its address space is limited to \(space.rlim_cur >> 10) KiB, and each thread takes that of a stack: "
            + "raise ulimit -v, or remove it."
    }

    private enum Limit {
        #if canImport(Glibc)
            static let addressSpace = __rlimit_resource_t(RLIMIT_AS.rawValue)
            static let none = rlim_t.max
        #else
            static let addressSpace = RLIMIT_AS
            static let none = rlim_t(RLIM_INFINITY)
        #endif
    }
}
