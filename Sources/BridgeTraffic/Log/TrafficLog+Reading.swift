public import BridgeProtocol

/// What was recorded, and what will be.
extension TrafficLog {
    /// The number of the latest record; 0 where there is none.
    public var lastRecord: Int { count }

    /// The number of the oldest record that can still be read; one more than the latest where there is none.
    var oldestKept: Int { archive == nil ? ring.first ?? count + 1 : 1 }

    /// The records that fit, oldest first.
    ///
    /// - Parameters:
    ///   - after: the number of a record; only later ones are looked at, in the ring and, where there is one, in the
    ///     archive.
    ///   - limit: how many to answer at most.
    /// - Returns: the records, and what to give as `after` to read on.
    public func query(
        _ filter: TrafficFilter = TrafficFilter(), after: Int = 0, limit: Int
    ) -> (records: [StoredRecord], next: Int) {
        var found = archived(filter, after: after, limit: limit)
        if let last = found.last, found.count >= limit { return (found, last.number) }
        for record in ring.after(after) where filter.matches(record) {
            guard found.count < limit else { return (found, found.last?.number ?? after) }
            found.append(record)
        }
        return (found, max(after, count))
    }

    /// Hands every record that fits to `deliver`, in order, as it is written, until the subscription is cancelled.
    ///
    /// A `query` in the same turn of the main actor leaves no gap and no overlap.
    public func subscribe(
        _ filter: TrafficFilter = TrafficFilter(), _ deliver: @escaping @MainActor (StoredRecord) -> Void
    ) -> TrafficSubscription {
        let subscription = TrafficSubscription(filter, deliver)
        add(subscription)
        return subscription
    }

    /// Waits for the first record that fits.
    ///
    /// - Parameters:
    ///   - match: a subset of the record's value: a message's body, a reply's or an evaluation's value, an asynchronous
    ///     call's arguments; of the whole record for other kinds.
    ///   - after: the number of a record. Those after it count too, as far as they are kept; nil waits for what comes
    ///     from now on.
    /// - Throws: `RPCError` -32005 when the time is over, `CancellationError` with the task.
    public func next(
        _ filter: TrafficFilter = TrafficFilter(), match: ScriptValue? = nil, after: Int? = nil, timeout: Duration
    ) async throws -> StoredRecord {
        let wanted = WantedRecord(filter: filter, match: match)
        if let after, let record = earliest(wanted, after: after) { return record }
        let found = await waiters.next(within: timeout) { record, stored in wanted.fits(record, stored) }
        if let (_, stored) = found { return stored }
        try Task.checkCancellation()
        throw waitTimedOut(timeout, wanted)
    }

    private func earliest(_ wanted: WantedRecord, after: Int) -> StoredRecord? {
        var after = after
        while after < count {
            let (records, next) = query(wanted.filter, after: after, limit: 100)
            if let record = records.first(where: wanted.fits) { return record }
            after = next
        }
        return nil
    }

    /// Records that the ring has no more.
    private func archived(_ filter: TrafficFilter, after: Int, limit: Int) -> [StoredRecord] {
        guard let first = ring.first, after + 1 < first, archive != nil else { return [] }
        flush()
        do {
            return try archive?.query(filter, in: after + 1..<first, limit: limit) ?? []
        } catch {
            problem("logFailed", "Can't read the database: \(error).", hint: "Records in memory are answered alone.")
            return []
        }
    }

    /// Names what would have fitted and came before, since that is a common reason to wait in vain.
    private func waitTimedOut(_ timeout: Duration, _ wanted: WantedRecord) -> RPCError {
        var text = "No record came within \(timeout.inMilliseconds) that fits"
        text += wanted.filter.terms.isEmpty ? "." : " \(wanted.filter)."
        if let missed = earliest(wanted, after: 0) {
            text += " Record \(missed.number) fits, but came before: wait with after \(missed.number - 1) to count it."
        }
        return RPCError(.waitTimedOut, text, data: ["timeoutMs": .number(timeout.milliseconds)])
    }
}
