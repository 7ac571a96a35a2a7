/// A keeper in which so many records wait that pages must hold further messages themselves.
@MainActor package struct FullQueue {
    private let keeper: any RecordKeeper

    init(_ keeper: any RecordKeeper) { self.keeper = keeper }

    /// What waits and why, short enough for the reason of a close frame.
    package var reason: String {
        "\(keeper.waitingCount) records wait for \(keeper.name), which "
            + (keeper.isFailing
                ? "cannot be written: see the problem logFailed"
                : "is too slow for so many: send less, or attach again later")
    }

    /// Says in the log that a page was sent away, unless a problem has already said that nothing can be written.
    package func report(in traffic: TrafficLog, page: (any TrafficPage)?) {
        guard !keeper.isFailing else { return }
        let name = page.map(\.id) ?? "a page"
        traffic.problem(
            .logFailed,
            "Too many records wait for \(keeper.name), which is too slow for them, so \(name) was closed with 1013.",
            hint: "It attaches again, and loses nothing. Send less, or \(keeper.remedy).", page: page)
    }
}

/// Records, counted.
package struct RecordCount: Sendable, Equatable {
    package var records = 0
    /// The bytes of their lines.
    package var bytes = 0

    package init(records: Int = 0, bytes: Int = 0) { (self.records, self.bytes) = (records, bytes) }

    static func + (left: Self, right: Self) -> Self {
        RecordCount(records: left.records + right.records, bytes: left.bytes + right.bytes)
    }

    static func - (left: Self, right: Self) -> Self {
        RecordCount(records: left.records - right.records, bytes: left.bytes - right.bytes)
    }
}

/// How many of the records that wait to be written one page has caused.
package struct RecordShare: Sendable {
    private var count = RecordCount()
    /// The number of the latest of them.
    private var last = 0

    package init() {}

    /// - Parameter keptThrough: the number of the last record that is written, together with all before it.
    mutating func add(_ more: RecordCount, through number: Int, keptThrough: Int) {
        guard more.records > 0 else { return }
        if keptThrough >= last { count = RecordCount() }
        (count, last) = (count + more, number)
    }

    /// At most how many of them wait. If some are written, the bytes of the others are estimated.
    func waiting(after keptThrough: Int) -> RecordCount {
        let records = max(0, last - keptThrough)
        guard records < count.records else { return count }
        let bytes = Double(count.bytes) * Double(records) / Double(count.records)
        return RecordCount(records: records, bytes: Int(bytes))
    }
}
