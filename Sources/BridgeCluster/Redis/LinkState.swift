/// When to connect to Redis: how long to wait after a failure, and what to say about it. This type has no clock and does
/// no I/O.
struct LinkState: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        case connecting
        /// Redis can be used.
        case ready
        /// Waits until the next attempt.
        case waiting(Duration)
        case closed
    }

    private static let longestWait = Duration.seconds(5)

    private(set) var phase = Phase.waiting(.zero)
    private var failures = 0
    /// Whether the outage has been reported.
    private var isReported = false

    /// Begins an attempt. Returns false if the link is closed or busy.
    mutating func connect() -> Bool {
        guard case .waiting = phase else { return false }
        phase = .connecting
        return true
    }

    /// Notes that Redis answers. Returns false if no attempt is under way.
    mutating func succeeded() -> Bool {
        guard phase == .connecting else { return false }
        phase = .ready
        return true
    }

    /// Notes that Redis has answered for a while. A server that only begins well is not reported again and again.
    /// - Returns: whether an outage that was reported has ended.
    mutating func settled() -> Bool {
        guard phase == .ready else { return false }
        failures = 0
        defer { isReported = false }
        return isReported
    }

    /// Notes that the attempt has failed or that the connection has ended.
    /// - Returns: whether to report it, and how long to wait until the next attempt; nil if the link is closed.
    mutating func failed() -> (isNew: Bool, wait: Duration)? {
        guard phase == .connecting || phase == .ready else { return nil }
        failures += 1
        let wait = min(.milliseconds(50) * (1 << min(failures, 10)), LinkState.longestWait)
        phase = .waiting(wait)
        defer { isReported = true }
        return (!isReported, wait)
    }

    mutating func close() { phase = .closed }
}
