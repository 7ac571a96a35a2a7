import BridgeProtocol
import BridgeTraffic

/// The database of a simulated machine, as one run of the daemon sees it. It may be slow, locked or full.
final class SimulatedArchive: TrafficArchive {
    struct Locked: Error {}

    private let disk: SimulatedDisk
    private let life: Life
    private let invariants: Invariants
    private let mistake: Mistake?

    @MainActor init(_ disk: SimulatedDisk, _ life: Life, _ invariants: Invariants, _ mistake: Mistake?) {
        self.disk = disk
        self.life = life
        self.invariants = invariants
        self.mistake = mistake
    }

    /// The simulation has one thread, so this is on the main actor, too.
    func append(_ records: [StoredRecord]) throws {
        try MainActor.assumeIsolated {
            guard life.lasts(), mistake != .losesArchivedRecords else { return }
            if disk.archive == .locked { throw Locked() }
            invariants.keeperWorks(.archive)
            for record in records { invariants.archived(record) }
        }
    }

    func reopen() {}

    func query(_ filter: TrafficFilter, in numbers: Range<Int>, limit: Int, bytes: Int) -> [StoredRecord] { [] }
}

/// The thread on which a simulated archive runs: a call ends in a later step, or never.
@MainActor final class SimulatedThread: ArchiveThread {
    private let disk: SimulatedDisk
    private let clock: SimulatedClock
    private let life: Life
    private let invariants: Invariants
    private var call: (() -> Bool)?
    /// Whether the latest call has failed, which the daemon does not know yet.
    private var hasFailed = false
    private var ended: @MainActor () -> Void = {}
    /// How many calls have ended of which the daemon does not know yet.
    private var unreported = 0

    init(_ disk: SimulatedDisk, _ clock: SimulatedClock, _ life: Life, _ invariants: Invariants) {
        self.disk = disk
        self.clock = clock
        self.life = life
        self.invariants = invariants
    }

    func run(_ call: @escaping @Sendable () -> Bool, ended: @escaping @MainActor @Sendable () -> Void) {
        self.call = call
        self.ended = ended
    }

    func wait(for time: Duration) -> Bool {
        if disk.archive == .stalled {
            invariants.archiveStalled()
            clock.advance(milliseconds: Int(max(0, time.milliseconds)))
            return false
        }
        while call != nil { finishCall() }
        learn()
        return true
    }

    /// Whether a call has not ended, or the daemon does not know that it has.
    var isBusy: Bool { call != nil || unreported > 0 }

    /// Runs the call that waits, unless the archive is stalled. Then the next one waits, if there is one.
    func finishCall() {
        guard disk.archive != .stalled, let call else { return }
        if !call() { self.call = nil }
        unreported += 1
        // A daemon that was killed learns nothing any more.
        hasFailed = life.isAlive && disk.archive == .locked
    }

    private func learn() {
        if hasFailed { invariants.keeperFailed(.archive) }
        hasFailed = false
    }

    /// Tells the daemon that its calls have ended.
    func report() {
        learn()
        while unreported > 0 {
            unreported -= 1
            ended()
        }
    }
}

/// What the archive does.
enum ArchiveState: String, CaseIterable, CustomDebugStringConvertible, Sendable {
    case works
    /// Its calls fail.
    case locked
    /// Its calls do not return.
    case stalled

    var debugDescription: String { rawValue }
}
