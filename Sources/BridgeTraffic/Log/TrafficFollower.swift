import BridgeProtocol

/// Hands records on to somebody who may read slowly. On the main actor.
///
/// Whoever is behind is handed nothing more until there is room again, and then what is still kept: nothing is kept
/// for one follower alone. What is not kept any more is told as a `gap`.
@MainActor package final class TrafficFollower {
    /// How often to look whether there is room again.
    private static let patience = Duration.milliseconds(20)
    private static let portion = 256

    private let traffic: TrafficLog
    private let deadlines: Deadlines
    private let filter: TrafficFilter
    private let isCrowded: @MainActor () -> Bool
    private let send: @MainActor (StoredRecord) -> Void
    private var subscription: TrafficSubscription?
    /// The last record that needs no more looking at.
    private var position: Int
    private var isBehind = false

    /// - Parameters:
    ///   - after: begins after that record; nil begins with the oldest that is kept.
    ///   - isCrowded: whether there is no room for more now.
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
        position = after ?? traffic.oldestKept - 1
    }

    /// From now on records are sent.
    package func start() {
        catchUp()
        subscription = traffic.subscribe(filter) { [weak self] in self?.offer($0) }
    }

    package func cancel() {
        subscription?.cancel()
        subscription = nil
        isBehind = false
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
        _ = deadlines.schedule(after: TrafficFollower.patience) { [weak self] in
            guard let self, isBehind else { return }
            isCrowded() ? watch() : catchUp()
        }
    }

    private func catchUp() {
        isBehind = false
        while position < traffic.lastRecord {
            tellGap()
            let (records, next) = traffic.query(filter, after: position, limit: TrafficFollower.portion)
            for record in records {
                if isCrowded() { return fallBehind(before: record) }
                send(record)
            }
            position = next
        }
    }

    /// A gap has the number of the last record in it.
    private func tellGap() {
        let missed = traffic.oldestKept - 1 - position
        guard missed > 0 else { return }
        position += missed
        send(
            StoredRecord(
                TrafficRecord(record: position, time: .now, direction: .toNative, event: .gap(count: missed))))
    }
}
