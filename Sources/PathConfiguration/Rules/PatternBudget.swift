import Foundation

/// The processor time that one look-up may use for regular expressions.
///
/// A pattern such as `^(/.+)+/edit$` needs time that doubles with each segment of a path that it does not match
/// ("catastrophic backtracking"), so a page could stop the daemon with the path of a visit. The time is that of the
/// thread, because a busy machine must not change what a pattern matches.
struct PatternBudget {
    static let usual = Duration.milliseconds(20)
    /// Asking for the time costs as much as a simple pattern.
    private static let stepsBetweenChecks = 16

    private let limit: Duration
    private var steps = 0
    private var end: Duration?
    private(set) var isSpent = false

    init(_ limit: Duration = usual) { self.limit = limit }

    /// Counts a pattern or a part of the search for one, which takes 0.2 ms at most.
    /// - Returns: whether the look-up may go on.
    mutating func spend() -> Bool {
        steps += 1
        guard !isSpent, steps.isMultiple(of: PatternBudget.stepsBetweenChecks) else { return !isSpent }
        let now = PatternBudget.processorTime
        isSpent = now >= end ?? now + limit
        end = end ?? now + limit
        return !isSpent
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
