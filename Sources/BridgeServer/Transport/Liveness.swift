/// Finds a WebSocket whose peer has gone without a word: a cable that was pulled, a machine that sleeps. A value
/// without clock: somebody looks at it four times in the time that a peer may be silent.
///
/// Any message or pong is a sign of life. After a quarter of the time without one, or a half, a ping asks for it; after
/// the whole time, or a quarter less, the connection counts as broken.
struct Liveness: Sendable {
    enum Finding: Sendable { case alive, silent, broken }

    static let looks = 4
    private static let looksBeforePing = 2

    private var silentLooks = 0
    private var owesPing = false

    mutating func heard() { silentLooks = 0 }

    /// `silent` says that a ping is to be sent.
    mutating func look() -> Finding {
        silentLooks += 1
        if silentLooks >= Liveness.looks { return .broken }
        guard silentLooks == Liveness.looksBeforePing else { return .alive }
        owesPing = true
        return .silent
    }

    /// Whether a ping is to be written now.
    mutating func takePing() -> Bool {
        defer { owesPing = false }
        return owesPing
    }
}
