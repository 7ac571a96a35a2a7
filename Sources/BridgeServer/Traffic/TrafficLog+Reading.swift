public import BridgeProtocol

/// What was recorded, and what will be.
extension TrafficLog {
    /// The number of the latest record; 0 where there is none.
    public var lastRecord: Int { count }

    /// The records that fit, oldest first.
    ///
    /// - Parameters:
    ///   - after: the number of a record; only later ones are looked at.
    ///   - limit: how many to answer at most.
    /// - Returns: the records, and what to give as `after` to read on.
    public func query(
        _ filter: TrafficFilter = TrafficFilter(), after: Int = 0, limit: Int
    ) -> (records: [StoredRecord], next: Int) {
        var found: [StoredRecord] = []
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
        subscribe(WantedRecord(filter: filter, match: nil), deliver)
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
        let wait = RecordWait()
        wait.subscription = subscribe(wanted) { wait.finish(.success($0)) }
        wait.deadline = deadlines.schedule(after: timeout) { [self] in
            wait.finish(.failure(waitTimedOut(timeout, wanted)))
        }
        defer { deadlines.cancel(wait.deadline) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait.continuation = $0 }
        } onCancel: {
            Task { @MainActor in wait.finish(.failure(CancellationError())) }
        }
    }

    private func earliest(_ wanted: WantedRecord, after: Int) -> StoredRecord? {
        ring.after(after).first(where: wanted.fits)
    }

    /// Names what would have fitted and came before, since that is a common reason to wait in vain.
    private func waitTimedOut(_ timeout: Duration, _ wanted: WantedRecord) -> RPCError {
        let milliseconds = (timeout / .milliseconds(1)).rounded()
        var text = "No record came within \(JSONLiteral.number(milliseconds).text) ms that fits"
        text += wanted.filter.terms.isEmpty ? "." : " \(wanted.filter)."
        if let missed = earliest(wanted, after: 0) {
            text += " Record \(missed.number) fits, but came before: wait with after \(missed.number - 1) to count it."
        }
        return RPCError(.waitTimedOut, text, data: ["timeoutMs": .number(milliseconds)])
    }
}

/// A task that waits for a record. The first end counts.
@MainActor private final class RecordWait {
    var subscription: TrafficSubscription?
    var deadline: Deadlines.Token?
    var continuation: CheckedContinuation<StoredRecord, any Error>?

    func finish(_ result: Result<StoredRecord, any Error>) {
        subscription?.cancel()
        continuation?.resume(with: result)
        continuation = nil
    }
}
