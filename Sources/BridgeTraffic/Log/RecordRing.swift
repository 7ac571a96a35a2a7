import BridgeProtocol
import DequeModule

/// A buffer of the latest records, with limits.
package struct RecordRing {
    /// How much the ring may hold. It always has the newest record.
    package struct Limits: Sendable {
        package var records: Int
        /// The total size of the records' lines.
        package var bytes: Int

        package init(records: Int, bytes: Int) {
            self.records = records
            self.bytes = bytes
        }

        package static let none = Limits(records: .max, bytes: .max)
    }

    private let limits: Limits
    private var records: Deque<StoredRecord> = []
    private(set) var byteCount = 0

    init(limits: Limits) { self.limits = limits }

    var count: Int { records.count }
    /// The number of the oldest record in the ring.
    var first: Int? { records.first?.number }

    /// Appends a record. Its number must be one more than that of the last one.
    mutating func append(_ record: StoredRecord) {
        records.append(record)
        byteCount += record.line.count
        while records.count > max(1, limits.records) || (byteCount > limits.bytes && records.count > 1) {
            byteCount -= records.removeFirst().line.count
        }
    }

    mutating func removeAll() {
        records = []
        byteCount = 0
    }

    /// Returns the records with a higher number, oldest first.
    func after(_ number: Int) -> Deque<StoredRecord>.SubSequence {
        // The numbers of the records follow each other. `number` may be any: a client sent it.
        guard let first, number >= first else { return records[...] }
        return records.dropFirst(number == .max ? records.count : number - first + 1)
    }
}
