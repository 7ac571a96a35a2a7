import BridgeProtocol

/// Sends records to a reader that may be slow.
///
/// A reader that has fallen behind gets no records until it has room again. Then it gets the missed records that the
/// log still has, and one `gap` record in place of the others. So no record stays longer for a slow reader.
@MainActor package final class TrafficFollower {
    /// How often to check whether the reader has room again.
    private static let checkInterval = Duration.milliseconds(20)
    /// How many records are read at a time. From a database that takes about 5 ms, for which everything else waits.
    private static let batchSize = 64

    private let traffic: TrafficLog
    private let deadlines: Deadlines
    private let filter: TrafficFilter
    private let isCrowded: @MainActor () -> Bool
    private let send: @MainActor (StoredRecord) -> Void
    private var subscription: TrafficSubscription?
    /// The number of the last record that was sent or did not match.
    private var position: Int
    private var isBehind = false
    private var isFinishing = false
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
        position = max(0, after ?? traffic.oldestKept - 1)
    }

    /// Sends the kept records, and from then on each new one.
    package func start() {
        catchUp()
        subscription = traffic.subscribe(filter) { [weak self] in self?.offer($0) }
    }

    /// Sends the records that are kept now, as fast as the reader takes them, and then calls `ended`.
    package func sendKept(then ended: @escaping @MainActor () -> Void) {
        end = traffic.lastRecord
        self.ended = ended
        position < traffic.lastRecord ? catchUp() : reachedEnd()
    }

    package func cancel() {
        subscription?.cancel()
        subscription = nil
        isBehind = false
    }

    /// Sends the kept records that a slow reader has missed, however crowded it is, and ends.
    package func finish() {
        isFinishing = true
        catchUp()
        cancel()
    }

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
        while position < traffic.lastRecord {
            reportGap()
            let (records, next) = traffic.query(
                filter, after: position, limit: TrafficFollower.batchSize, bytes: TrafficLog.pageBytes)
            for record in records {
                if !isFinishing, isCrowded() { return fallBehind(before: record) }
                if let end, record.number > end { break }
                send(record)
            }
            position = next
            if let end, position >= end { return reachedEnd() }
            guard isFinishing || position >= traffic.lastRecord else { return goOnSoon() }
        }
    }

    /// Lets the daemon do something else before the next records are read.
    private func goOnSoon() {
        isBehind = true
        deadlines.schedule(after: .zero) { [weak self] in
            guard let self, isBehind else { return }
            catchUp()
        }
    }

    private func reachedEnd() {
        cancel()
        ended.take()?()
    }

    /// Sends a gap record if the log no longer has some of the next records. It has the number of the last one missed.
    private func reportGap() {
        let missed = traffic.oldestKept - 1 - position
        guard missed > 0 else { return }
        position += missed
        send(
            StoredRecord(
                TrafficRecord(record: position, time: .now, direction: .toNative, event: .gap(count: missed))))
    }
}
