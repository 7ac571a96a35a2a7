/// Detects a WebSocket whose peer has disappeared without closing it: a cable was pulled, or a machine is asleep.
///
/// This type has no clock: its owner calls `check` four times per timeout. Every message and every pong is a sign of
/// life. After two checks without one, the peer gets a ping; after four, the connection counts as broken. So a silent
/// peer gets a ping after a quarter to half of the timeout, and its connection is ended after three quarters to the
/// whole of it.
///
/// A peer that sends, but does not read what waits for it, counts as stuck after as many checks.
struct Liveness: Sendable {
    enum Finding: Sendable {
        case alive
        /// A ping is due; see `takePing`.
        case silent
        case broken
        case stuck
    }

    static let checksPerTimeout = 4
    private static let checksBeforePing = 2

    private var silentChecks = 0
    private var stuckChecks = 0
    private var isPingDue = false

    /// Records that the other side has sent anything.
    mutating func received() { silentChecks = 0 }

    /// Records that the socket could be written.
    mutating func wrote() { stuckChecks = 0 }

    /// Whether the socket could not be written between two checks, although something waits.
    var isBlocked: Bool { stuckChecks > 1 }

    /// - Parameter hasWaiting: whether something waits to be written.
    mutating func check(hasWaiting: Bool = false) -> Finding {
        silentChecks += 1
        stuckChecks = hasWaiting ? stuckChecks + 1 : 0
        if stuckChecks > Liveness.checksPerTimeout { return .stuck }
        if silentChecks >= Liveness.checksPerTimeout { return .broken }
        guard silentChecks == Liveness.checksBeforePing else { return .alive }
        isPingDue = true
        return .silent
    }

    /// Returns whether to write a ping now, and marks the ping as written.
    mutating func takePing() -> Bool {
        defer { isPingDue = false }
        return isPingDue
    }
}
