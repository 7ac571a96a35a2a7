import BridgeProtocol

/// A place that keeps records beyond this process: the log file, or an archive such as a database.
///
/// A record that could not be written waits and is tried again. Until then ``keptThrough`` stays where it is, and the
/// server acknowledges no message after it.
@MainActor package protocol RecordKeeper: AnyObject {
    /// The number of the last record that is kept, together with all before it.
    var keptThrough: Int { get }
    /// Whether so many records wait that pages must hold further messages themselves.
    var isFull: Bool { get }
    /// How many records wait.
    var waitingCount: Int { get }
    /// Whether the latest write failed, which a problem has said. Otherwise records wait because it is slow.
    var isFailing: Bool { get }
    /// What it is, within a sentence.
    var name: String { get }
    /// What makes it faster, as the end of a sentence.
    var remedy: String { get }
    /// Whether it would be full if so many more waited.
    func isFull(withMore more: RecordCount) -> Bool
    func append(_ record: StoredRecord)
    /// Writes what waits, or begins to.
    func flush()
    /// Makes pending attempts at once, and opens files again.
    func reopen()
    /// Writes what waits, and returns when that is done or has failed, at `deadline` at the latest.
    func finish(before deadline: ContinuousClock.Instant)
}

/// The clock, the limits and the reporting functions that the keepers of a log share.
@MainActor package final class KeeperContext {
    package let deadlines: Deadlines
    /// How much may wait in each keeper.
    package let limits: RecordRing.Limits
    /// Reports a problem: its text and a hint.
    var report: (String, String) -> Void = { _, _ in }
    /// Reports that something works again.
    var notice: (String) -> Void = { _ in }
    /// The time until which `flush` waits for the archive, because the daemon stops; nil while it runs.
    var flushDeadline: ContinuousClock.Instant?
    /// Called after records were kept later than in `flush`.
    package var onKept: () -> Void = {}

    /// How long to wait until a failed write is tried again.
    static let retryInterval = Duration.seconds(1)

    init(deadlines: Deadlines, limits: RecordRing.Limits) {
        self.deadlines = deadlines
        self.limits = limits
    }

    /// The hint of a failure: a remedy, and what happens meanwhile.
    func hint(_ remedy: String) -> String {
        "\(remedy) Pages keep their messages until then. The daemon keeps up to \(limits.records) records, and tries "
            + "again each second, or at once after SIGHUP."
    }
}

/// Decides which records a keeper must leave out because too many wait, and counts them.
package final class Backlog {
    private let limits: RecordRing.Limits
    private var missedCount = 0
    private var lastMissed: StoredRecord?

    package init(limits: RecordRing.Limits) { self.limits = limits }

    package func isFull(records: Int, bytes: Int) -> Bool { records >= limits.records || bytes >= limits.bytes }

    /// Decides whether to keep a record while so much waits, and counts it if not.
    ///
    /// The messages of pages are never left out, because pages can't send more of them while a keeper is full. Other
    /// records can come nevertheless; they are left out if twice the limit waits.
    package func admits(_ record: StoredRecord, records: Int, bytes: Int) -> Bool {
        guard isFull(records: records / 2, bytes: bytes / 2), record.facets.kind != .message else { return true }
        missedCount += 1
        lastMissed = record
        return false
    }

    /// Returns the record that takes the place of those that were left out, if there are any, and forgets them.
    package func takeGap() -> StoredRecord? {
        guard let last = lastMissed.take() else { return nil }
        defer { missedCount = 0 }
        return StoredRecord(
            TrafficRecord(
                record: last.number, time: last.time, direction: .toNative, event: .gap(count: missedCount)))
    }
}
