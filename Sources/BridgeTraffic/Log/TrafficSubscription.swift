import BridgeProtocol

/// Somebody who gets every record that fits a filter, until `cancel`. On the main actor.
@MainActor public final class TrafficSubscription {
    private let filter: TrafficFilter
    private var deliver: (@MainActor (StoredRecord) -> Void)?

    init(_ filter: TrafficFilter, _ deliver: @escaping @MainActor (StoredRecord) -> Void) {
        self.filter = filter
        self.deliver = deliver
    }

    var isCancelled: Bool { deliver == nil }

    /// Nothing is delivered from here on.
    public func cancel() { deliver = nil }

    func offer(_ record: StoredRecord) {
        if let deliver, filter.matches(record) { deliver(record) }
    }
}

/// What a wait looks for.
struct WantedRecord {
    let filter: TrafficFilter
    /// A subset of the record's value: a message's body, a reply's or an evaluation's value, an asynchronous call's
    /// arguments; of the whole record for other kinds.
    let match: ScriptValue?

    func fits(_ record: TrafficRecord, _ stored: StoredRecord) -> Bool {
        guard filter.matches(stored) else { return false }
        guard let match else { return true }
        return (record.payload ?? stored.payload).contains(subset: match)
    }

    func fits(_ stored: StoredRecord) -> Bool {
        guard filter.matches(stored) else { return false }
        return match.map(stored.payload.contains) ?? true
    }
}
