import BridgeProtocol

/// Keeps records that the ring has no room for. On the main actor.
@MainActor public protocol TrafficArchive: AnyObject {
    /// Keeps records, in order, so that they outlive this process: all of them, or none and an error.
    func append(_ records: [StoredRecord]) throws

    /// The records of this run of the daemon that fit, oldest first.
    /// - Parameter numbers: only records with these numbers are looked at.
    func query(_ filter: TrafficFilter, in numbers: Range<Int>, limit: Int) throws -> [StoredRecord]
}
