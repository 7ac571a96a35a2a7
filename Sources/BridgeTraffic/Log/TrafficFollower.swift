import BridgeProtocol
import Foundation

/// Sends records to a reader that may be slow.
///
/// A reader that has fallen behind gets no records until it has room again. Then it gets the missed records that the
/// log still has, and one `gap` record in place of the others. So no record stays in memory longer because a reader is slow.
@MainActor package final class TrafficFollower {
    /// How often to check whether the reader has room again.
    private static let checkInterval = Duration.milliseconds(20)
    /// How many records are read at a time.
    private static let batchSize = 64
    /// For how long records are sent before the daemon does something else.
    private static let longestTurn = Duration.milliseconds(4)

    private let traffic: TrafficLog
    private let deadlines: Deadlines
    private let filter: TrafficFilter
    private let isCrowded: @MainActor () -> Bool
    private let send: @MainActor (StoredRecord) -> Void
    private var subscription: TrafficSubscription?
    /// The number of the last record that was sent or did not match.
    private var position: Int
    private var isBehind = false
    /// Whether it begins with the oldest record that the archive still has. Those before are not missed.
    private var skipsDeleted: Bool
    /// The number of the last record to send; nil if the follower goes on.
    private var end: Int?
    private var ended: (@MainActor () -> Void)?

    /// - Parameters:
    ///   - after: the number of the record to begin after; nil begins with the oldest record that the log has.
    ///   - isCrowded: returns whether too much is waiting for the reader already.
    ///   - send: sends a record to the reader.
    package init(
        _ traffic: TrafficLog, _ deadlines: Deadlines, _ filter: TrafficFilter, after: Int?,
        isCrowded: @escaping @MainActor () -> Bool,
        send: @escaping @MainActor (StoredRecord) -> Void
    ) {
        self.traffic = traffic
        self.deadlines = deadlines
        self.filter = filter
        self.isCrowded = isCrowded
        self.send = send
        skipsDeleted = after == nil
        position = max(0, after ?? traffic.oldestKept - 1)
    }

    /// Sends the kept records, and from then on each new one.
    package func start() {
        catchUp()
        subscription = traffic.subscribe(filter) { [weak self] in self?.offer($0) }
    }

    /// Sends the records that are kept now, as fast as the reader takes them, and then calls `ended`.
    /// - Parameter end: the number of the last record to send; nil for the latest.
    package func sendKept(through end: Int? = nil, then ended: @escaping @MainActor () -> Void) {
        let end = end ?? traffic.lastRecord
        self.end = end
        self.ended = ended
        position < end ? catchUp() : reachedEnd()
    }

    package func cancel() {
        subscription?.cancel()
        subscription = nil
        isBehind = false
    }

    /// Sends the kept records that a slow reader has missed, as fast as it reads them, and ends. Blocks until then, so the
    /// reader must have a thread of its own.
    /// - Parameter deadline: the reader gets a gap in place of those that it has not taken by then.
    package func finish(before deadline: ContinuousClock.Instant) {
        cancel()
        while position < traffic.lastRecord {
            guard .now < deadline else { return sendGap(through: traffic.lastRecord) }
            guard !isCrowded() else {
                usleep(1_000)
                continue
            }
            reportGap()
            let (records, next) = traffic.query(
                filter, after: position, limit: TrafficFollower.batchSize, bytes: TrafficLog.pageBytes)
            for record in records { send(record) }
            position = next
        }
    }

    /// Sends a new record. `position` may be greater than its number: a tool may have the numbers of an earlier daemon.
    private func offer(_ record: StoredRecord) {
        guard !isBehind else { return }
        if isCrowded() {
            fallBehind(before: record)
        } else {
            send(record)
            position = record.number
        }
    }

    private func fallBehind(before record: StoredRecord) {
        position = record.number - 1
        isBehind = true
        watch()
    }

    private func watch() {
        _ = deadlines.schedule(after: TrafficFollower.checkInterval) { [weak self] in
            guard let self, isBehind else { return }
            isCrowded() ? watch() : catchUp()
        }
    }

    private func catchUp() {
        isBehind = false
        let began = deadlines.now
        while position < traffic.lastRecord {
            reportGap()
            guard !traffic.isOnlyArchived(after: position) else { return readArchive() }
            let (records, next) = traffic.query(
                filter, after: position, limit: TrafficFollower.batchSize, bytes: TrafficLog.pageBytes)
            guard send(records, through: next) else { return }
            if deadlines.now - began > TrafficFollower.longestTurn { return goOnSoon() }
        }
    }

    /// Sends records until the reader is crowded or the end is reached.
    /// - Parameter next: the number of the record up to which they were searched.
    /// - Returns: whether to go on.
    private func send(_ records: [StoredRecord], through next: Int) -> Bool {
        for record in records {
            guard !isCrowded() else {
                fallBehind(before: record)
                return false
            }
            if let end, record.number > end { break }
            send(record)
        }
        position = next
        guard let end, position >= end else { return true }
        reachedEnd()
        return false
    }

    /// Goes on when the archive's next records are read. A disk may take seconds for that.
    private func readArchive() {
        isBehind = true
        // Retains the follower, because nothing else may: see `sendKept`.
        let limits = RecordRing.Limits(records: TrafficFollower.batchSize, bytes: TrafficLog.pageBytes)
        traffic.readArchive(filter, after: position, limits) { read in
            guard self.isBehind else { return }
            self.isBehind = false
            if read.missing == .deleted, self.skipsDeleted {
                self.position = read.next
            } else if read.missing != nil {
                self.sendGap(through: min(read.next, self.end ?? .max))
            }
            self.skipsDeleted = false
            if self.send(read.records, through: read.next) { self.catchUp() }
        }
    }

    /// Lets the daemon do something else before the next records are read.
    private func goOnSoon() {
        isBehind = true
        // Retains the follower, because nothing else may: see `sendKept`.
        deadlines.schedule(after: .zero) { if self.isBehind { self.catchUp() } }
    }

    private func reachedEnd() {
        cancel()
        ended.take()?()
    }

    /// Sends a gap record if the log no longer has some of the next records.
    private func reportGap() {
        let missed = min(traffic.oldestKept - 1, end ?? .max)
        if missed > position { sendGap(through: missed) }
    }

    /// Sends a record in place of the next ones. It has the number of the last one missed.
    private func sendGap(through number: Int) {
        let missed = number - position
        position = number
        send(
            StoredRecord(
                TrafficRecord(record: number, time: .now, direction: .toNative, event: .gap(count: missed))))
    }
}
