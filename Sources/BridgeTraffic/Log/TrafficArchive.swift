/// A store that keeps more records than fit in memory, such as a database.
public protocol TrafficArchive: AnyObject, Sendable {
    /// Keeps records, in order, so that they survive this process. If it throws, it has kept none of them. It is called
    /// on a thread of its own, which it may block.
    func append(_ records: [StoredRecord]) throws

    /// Opens the store again before the next records.
    func reopen()

    /// Returns the matching records of this run of the daemon, oldest first. It is called on the main actor, also while
    /// `append` runs, and must not wait for that.
    /// - Parameter numbers: the numbers of the records to search.
    func query(_ filter: TrafficFilter, in numbers: Range<Int>, limit: Int) throws -> [StoredRecord]
}
