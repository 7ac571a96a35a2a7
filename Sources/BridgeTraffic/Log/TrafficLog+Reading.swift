public import BridgeProtocol

/// Querying records, subscribing to them and waiting for them.
extension TrafficLog {
    /// The number of the latest record; 0 if there is none.
    public var lastRecord: Int { count }

    /// How many records are in memory, and how many bytes their lines have.
    package var keptBytes: (records: Int, bytes: Int) { (ring.count, ring.byteCount) }

    /// How many bytes of an archive are read at a time when all of it is read.
    package static let pageBytes = 1 << 20

    /// The number of the oldest record that can still be read; one more than the latest if there is none.
    var oldestKept: Int { archive == nil ? ring.first ?? count + 1 : 1 }

    /// Finds records in the ring and in the archive, if there is one.
    ///
    /// - Parameters:
    ///   - after: the number of a record; only later ones are searched.
    ///   - limit: the greatest number of records to return.
    ///   - bytes: the last record is the one with which their lines have so many bytes.
    /// - Returns: the matching records, oldest first, and the value of `after` for the next query, which is less than
    ///   ``lastRecord`` if there are more.
    public func query(
        _ filter: TrafficFilter = TrafficFilter(), after: Int = 0, limit: Int, bytes: Int = .max
    ) -> (records: [StoredRecord], next: Int) {
        var found = FoundRecords(limits: RecordRing.Limits(records: limit, bytes: bytes))
        searchArchive(filter, after: after, &found)
        if found.isFull, let last = found.records.last { return (found.records, last.number) }
        for record in ring.after(after) where filter.matches(record) {
            guard !found.isFull else { return (found.records, found.records.last?.number ?? after) }
            found.append(record)
        }
        return (found.records, max(after, count))
    }

    /// Calls `deliver` with every matching record from now on, in order, until the subscription is cancelled.
    ///
    /// A `query` right before or after this call, without an `await` between them, returns exactly the records that
    /// come before those.
    public func subscribe(
        _ filter: TrafficFilter = TrafficFilter(), _ deliver: @escaping @MainActor (StoredRecord) -> Void
    ) -> TrafficSubscription {
        let subscription = TrafficSubscription(filter, deliver)
        add(subscription)
        return subscription
    }

    /// Waits for the first matching record.
    ///
    /// - Parameters:
    ///   - match: a subset of the record's ``StoredRecord/payload``.
    ///   - after: the number of a record. Kept records with a higher number count, too; nil waits for new records only.
    /// - Throws: `RPCError` `waitTimedOut` (-32005) if the time is over, `CancellationError` if the task is cancelled.
    public func next(
        _ filter: TrafficFilter = TrafficFilter(), match: ScriptValue? = nil, after: Int? = nil, timeout: Duration
    ) async throws -> StoredRecord {
        let wanted = WantedRecord(filter: filter, match: match)
        if let after, let record = earliest(wanted, after: after) { return record }
        let found = await waiters.next(within: timeout) { record, stored in wanted.matches(record, stored) }
        if let (_, stored) = found { return stored }
        try Task.checkCancellation()
        throw waitTimedOut(timeout, wanted)
    }

    private func earliest(_ wanted: WantedRecord, after: Int) -> StoredRecord? {
        var after = after
        while after < count {
            let (records, next) = query(wanted.filter, after: after, limit: 100, bytes: TrafficLog.pageBytes)
            if let record = records.first(where: wanted.matches) { return record }
            after = next
        }
        return nil
    }

    /// Finds the matching records that the ring no longer has: first those in the archive, then those that wait for it.
    private func searchArchive(_ filter: TrafficFilter, after: Int, _ found: inout FoundRecords) {
        // `after` may be any number: a client sent it.
        guard let archive, let first = ring.first, after < first - 1 else { return }
        let end = min(first, archive.waiting.first?.number ?? first)
        do {
            if after < end - 1 {
                let (limit, bytes) = (found.limits.records, found.limits.bytes)
                for record in try archive.archive.query(filter, in: after + 1..<end, limit: limit, bytes: bytes) {
                    found.append(record)
                }
            }
        } catch {
            problem(
                "logFailed", sentence("Can't read the database: \(error)"),
                hint: "Queries return only the records in memory.")
        }
        for record in archive.waiting {
            guard record.number < first, !found.isFull else { break }
            if record.number > after, filter.matches(record) { found.append(record) }
        }
    }

    /// Makes the error of a wait that timed out. It names an earlier record that matches, if there is one, because it
    /// is a common mistake to begin the wait too late.
    private func waitTimedOut(_ timeout: Duration, _ wanted: WantedRecord) -> RPCError {
        var text = "No record came within \(timeout.inMilliseconds) that fits"
        text += wanted.filter.terms.isEmpty ? "." : " \(wanted.filter)."
        if let missed = earliest(wanted, after: 0) {
            text += " Record \(missed.number) fits, but came before: wait with after \(missed.number - 1) to count it."
        }
        return RPCError(.waitTimedOut, text, data: ["timeoutMs": .number(timeout.milliseconds)])
    }
}

/// The records that a query has found so far.
private struct FoundRecords {
    let limits: RecordRing.Limits
    private(set) var records: [StoredRecord] = []
    private var bytes = 0

    init(limits: RecordRing.Limits) { self.limits = limits }

    var isFull: Bool { records.count >= limits.records || bytes >= limits.bytes }

    mutating func append(_ record: StoredRecord) {
        records.append(record)
        bytes += record.line.count
    }
}
