import BridgeProtocol

/// A store that keeps more records than fit in memory, such as a database.
@MainActor public protocol TrafficArchive: AnyObject {
    /// Keeps records, in order, so that they survive this process. If it throws, it has kept none of them.
    func append(_ records: [StoredRecord]) throws

    /// Returns the matching records of this run of the daemon, oldest first.
    /// - Parameter numbers: the numbers of the records to search.
    func query(_ filter: TrafficFilter, in numbers: Range<Int>, limit: Int) throws -> [StoredRecord]
}
