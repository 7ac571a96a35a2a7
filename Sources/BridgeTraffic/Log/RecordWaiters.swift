import BridgeProtocol

/// The tasks that wait for records.
///
/// Thousands may wait. So a record is compared once with each condition, however many wait for it, and only with the
/// conditions that name its handler, its page or another of its parts, or none of them.
@MainActor final class RecordWaiters {
    /// The waits with one condition.
    private final class Group {
        let wanted: WantedRecord
        var numbers: Set<Int> = []

        init(_ wanted: WantedRecord) { self.wanted = wanted }
    }

    /// A part that a record must have. Parts that most records share select nothing.
    private struct Part: Hashable {
        static let fields: [TrafficFilter.Field] = [.name, .handler, .reason, .page, .webView, .node]

        let field: TrafficFilter.Field
        let value: String
    }

    private let waiters: Waiters<StoredRecord>
    private var groups: [WantedRecord: Group] = [:]
    /// The groups by a part that their records must have.
    private var byPart: [Part: [ObjectIdentifier: Group]] = [:]
    /// The groups whose records may have any parts.
    private var others: [ObjectIdentifier: Group] = [:]

    init(deadlines: Deadlines) { waiters = Waiters(deadlines: deadlines) }

    var isEmpty: Bool { waiters.isEmpty }
    /// How many waits have begun so far.
    var count: Int { waiters.count }

    /// Waits for a record that fits the condition.
    /// - Returns: nil if the time is over or the task is cancelled.
    func next(_ wanted: WantedRecord, within timeout: Duration) async -> StoredRecord? {
        var number = 0
        defer { remove(number, wanted) }
        return await waiters.next(within: timeout, where: { _ in false }) {
            number = $0
            add($0, wanted)
        }
    }

    /// Ends all waits whose condition the record fits, in the order in which they began.
    func offer(_ record: TrafficRecord, _ stored: StoredRecord) {
        var ended: [Int] = []
        func look(at groups: [ObjectIdentifier: Group]) {
            for group in groups.values where group.wanted.matches(record, stored) { ended += group.numbers }
        }
        look(at: others)
        for field in Part.fields {
            if let value = stored.facets[field], let groups = byPart[Part(field: field, value: value)] {
                look(at: groups)
            }
        }
        waiters.end(ended, with: stored)
    }

    private func add(_ number: Int, _ wanted: WantedRecord) {
        if let group = groups[wanted] {
            group.numbers.insert(number)
            return
        }
        let group = Group(wanted)
        group.numbers = [number]
        groups[wanted] = group
        let parts = parts(of: wanted)
        if parts.isEmpty { others[ObjectIdentifier(group)] = group }
        for part in parts { byPart[part, default: [:]][ObjectIdentifier(group)] = group }
    }

    private func remove(_ number: Int, _ wanted: WantedRecord) {
        guard let group = groups[wanted] else { return }
        group.numbers.remove(number)
        guard group.numbers.isEmpty else { return }
        groups[wanted] = nil
        others[ObjectIdentifier(group)] = nil
        for part in parts(of: wanted) {
            byPart[part]?[ObjectIdentifier(group)] = nil
            if byPart[part]?.isEmpty == true { byPart[part] = nil }
        }
    }

    /// One of these is in each record that fits; none if the condition names no part.
    private func parts(of wanted: WantedRecord) -> Set<Part> {
        for field in Part.fields {
            let term = wanted.filter.terms.first { $0.field == field && !$0.isNegated }
            if let term { return Set(term.values.map { Part(field: field, value: $0) }) }
        }
        return []
    }
}
