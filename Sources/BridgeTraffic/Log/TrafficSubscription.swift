import BridgeProtocol

/// Delivers every record that matches a filter, until `cancel`.
@MainActor public final class TrafficSubscription {
    private let filter: TrafficFilter
    private var deliver: (@MainActor (StoredRecord) -> Void)?

    init(_ filter: TrafficFilter, _ deliver: @escaping @MainActor (StoredRecord) -> Void) {
        self.filter = filter
        self.deliver = deliver
    }

    var isCancelled: Bool { deliver == nil }

    /// Ends the delivery of records.
    public func cancel() { deliver = nil }

    func offer(_ record: StoredRecord) {
        if let deliver, filter.matches(record) { deliver(record) }
    }
}

/// The condition of a wait.
struct WantedRecord {
    let filter: TrafficFilter
    /// A subset of the record's ``StoredRecord/payload``.
    let match: ScriptValue?

    func matches(_ record: TrafficRecord, _ stored: StoredRecord) -> Bool {
        guard filter.matches(stored) else { return false }
        guard let match else { return true }
        return (record.payload ?? stored.payload).contains(subset: match)
    }

    func matches(_ stored: StoredRecord) -> Bool {
        guard filter.matches(stored) else { return false }
        return match.map(stored.payload.contains) ?? true
    }
}
