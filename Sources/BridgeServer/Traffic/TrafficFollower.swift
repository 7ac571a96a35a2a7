import BridgeProtocol

/// Hands records on to somebody who may read slowly, and says how many were left out. On the main actor.
@MainActor final class TrafficFollower {
    /// How often to look whether there is room again, where no record comes that would.
    private static let patience = Duration.milliseconds(100)

    private let deadlines: Deadlines
    private let isCrowded: @MainActor () -> Bool
    private let send: @MainActor (StoredRecord) -> Void
    private var missed = 0
    private var lastMissed = 0

    init(
        _ deadlines: Deadlines, isCrowded: @escaping @MainActor () -> Bool,
        send: @escaping @MainActor (StoredRecord) -> Void
    ) {
        self.deadlines = deadlines
        self.isCrowded = isCrowded
        self.send = send
    }

    /// - Parameter after: begins with the kept records after that one; nil begins with what comes.
    func follow(_ traffic: TrafficLog, _ filter: TrafficFilter, after: Int?) -> TrafficSubscription {
        if let after {
            for record in traffic.query(filter, after: after, limit: .max).records { offer(record) }
        }
        return traffic.subscribe(filter) { self.offer($0) }
    }

    private func offer(_ record: StoredRecord) {
        if isCrowded() {
            if missed == 0 { watch() }
            missed += 1
            lastMissed = record.number
        } else {
            tellGap()
            send(record)
        }
    }

    private func watch() {
        _ = deadlines.schedule(after: TrafficFollower.patience) { [weak self] in
            guard let self, missed > 0 else { return }
            isCrowded() ? watch() : tellGap()
        }
    }

    /// The gap has the number of the last record in it.
    private func tellGap() {
        guard missed > 0 else { return }
        send(
            StoredRecord(
                TrafficRecord(record: lastMissed, time: .now, direction: .toNative, event: .gap(count: missed))))
        missed = 0
    }
}
