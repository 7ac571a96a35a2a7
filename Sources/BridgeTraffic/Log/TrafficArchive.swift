import BridgeProtocol

/// Keeps more records than the ring has room for.
@MainActor public protocol TrafficArchive: AnyObject {
    /// Keeps records, in order, so that they survive this process. If it throws, it has kept none of them.
    func append(_ records: [StoredRecord]) throws

    /// The records of this run of the daemon that match, oldest first.
    /// - Parameter numbers: the numbers of the records to search.
    func query(_ filter: TrafficFilter, in numbers: Range<Int>, limit: Int) throws -> [StoredRecord]
}
