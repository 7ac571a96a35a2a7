/// Distinguishes the documents of a log. Each run of the daemon numbers its records and pages from 1, so two documents
/// of a log may have the same id.
package struct DocumentIndex {
    private var places: [String: Int] = [:]
    private var count = 0
    private var lastRecord = 0

    package init() {}

    /// Returns the index of a record's document, from 0, in the order in which the documents first appear in the log.
    ///
    /// Call this with every record of the log, in order.
    /// - Returns: nil if the record is not about a page.
    package mutating func place(of record: TrafficRecord) -> Int? {
        // The numbers begin again if the daemon has started again.
        if record.record <= lastRecord { places = [:] }
        lastRecord = record.record
        guard let page = record.page else { return nil }
        if let place = places[page] { return place }
        places[page] = count
        count += 1
        return count - 1
    }
}
