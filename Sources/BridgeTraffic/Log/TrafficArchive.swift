/// A store that keeps more records than fit in memory, such as a database.
public protocol TrafficArchive: AnyObject, Sendable {
    /// Keeps records, in order, so that they survive this process. If it throws, it has kept none of them. It is called
    /// on a thread of its own, which it may block.
    func append(_ records: [StoredRecord]) throws

    /// Opens the store again before the next records.
    func reopen()

    /// Returns the matching records of this run of the daemon, oldest first. It may be called on any thread, also while
    /// `append` runs, and must not wait for that.
    /// - Parameters:
    ///   - numbers: the numbers of the records to search.
    ///   - bytes: the search ends with the record with which the lines have so many bytes.
    func query(_ filter: TrafficFilter, in numbers: Range<Int>, limit: Int, bytes: Int) throws -> [StoredRecord]

    /// Returns the number of the oldest record of this run that it still has; nil if it has none. It may be called on any
    /// thread.
    func oldest() throws -> Int?

    /// Moves all records into the file that people copy, as far as it can. It is called when the daemon ends, on the thread of
    /// `append`; the daemon may go on after all.
    func consolidate()
}

extension TrafficArchive {
    /// 1: an archive that deletes nothing has all records.
    public func oldest() throws -> Int? { 1 }

    public func consolidate() {}
}
