/// Tells the documents of a log apart. Each run of the daemon numbers its records and pages from 1, so two documents of
/// a log may have the same id.
package struct DocumentIndex {
    private var places: [String: Int] = [:]
    private var count = 0
    private var lastRecord = 0

    package init() {}

    /// The place of a record's document in the order in which documents first appear, from 0.
    ///
    /// Call this with each record of the log.
    /// - Returns: nil if the record is not about a page.
    package mutating func place(of record: TrafficRecord) -> Int? {
        // The daemon has started again.
        if record.record <= lastRecord { places = [:] }
        lastRecord = record.record
        guard let page = record.page else { return nil }
        if let place = places[page] { return place }
        places[page] = count
        count += 1
        return count - 1
    }
}
