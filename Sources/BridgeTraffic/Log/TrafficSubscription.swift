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
struct WantedRecord: Hashable {
    let filter: TrafficFilter
    /// A subset of the record's ``StoredRecord/payload``.
    let match: ScriptValue?
    private let matchText: String?

    init(filter: TrafficFilter, match: ScriptValue?) {
        (self.filter, self.match) = (filter, match)
        matchText = match?.json.text
    }

    static func == (one: WantedRecord, other: WantedRecord) -> Bool {
        (one.matchText, one.match?.types) == (other.matchText, other.match?.types) && one.filter == other.filter
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(filter)
        hasher.combine(matchText)
    }

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
