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

/// How many of the records that wait to be written one page has caused.
package struct RecordShare: Sendable {
    private var count = 0
    /// The number of the latest of them.
    private var last = 0

    package init() {}

    /// - Parameter keptThrough: the number of the last record that is written, together with all before it.
    mutating func add(_ records: Int, through number: Int, keptThrough: Int) {
        guard records > 0 else { return }
        if keptThrough >= last { count = 0 }
        (count, last) = (count + records, number)
    }

    /// At most how many of them wait.
    func waiting(after keptThrough: Int) -> Int { min(count, max(0, last - keptThrough)) }
}
