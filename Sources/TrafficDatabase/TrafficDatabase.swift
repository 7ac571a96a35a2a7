import BridgeProtocol
public import BridgeTraffic
import Foundation
import GRDB

/// An SQLite file with the traffic records of any number of runs of the daemon.
///
/// The file is in WAL mode: records survive a `kill -9` as soon as `append` has returned. After a power failure the
/// last transactions may be missing, but the file is intact.
@MainActor public final class TrafficDatabase: TrafficArchive {
    private let queue: DatabaseQueue
    private let retention: Retention
    /// The id of this run of the daemon in the table `run`. Records are numbered from 1 in each run.
    private let run: Int64
    private var appendedSinceTrim = 0

    /// Opens or creates the file. Only the user can read a new file, because it has the contents of messages.
    /// - Throws: ``OpenError``
    public init(path: String, retention: Retention = .everything) throws {
        self.retention = retention
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw OpenError(path: path, reason: String(cString: strerror(errno))) }
        close(descriptor)
        do {
            queue = try DatabaseQueue(path: path, configuration: TrafficDatabase.configuration)
            try Schema.migrator.migrate(queue)
            run = try queue.write { database in
                try database.execute(
                    sql: "INSERT INTO run (startedAt, pid) VALUES (?, ?)",
                    arguments: [Timestamp.now.microseconds, getpid()])
                return database.lastInsertedRowID
            }
        } catch {
            throw OpenError(path: path, reason: "\(error)")
        }
    }

    private static var configuration: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.journalMode = .wal
        // If a tool reads the file at the same time, wait for it instead of failing.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        return configuration
    }

    public func append(_ records: [StoredRecord]) throws {
        try queue.write { database in
            let statement = try database.cachedStatement(sql: Schema.insertion)
            for record in records {
                try statement.setArguments(Schema.arguments(of: record, run: run))
                try statement.execute()
            }
        }
        appendedSinceTrim += records.count
        guard appendedSinceTrim >= retention.trimInterval else { return }
        appendedSinceTrim = 0
        try trim()
    }

    public func query(_ filter: TrafficFilter, in numbers: Range<Int>, limit: Int) throws -> [StoredRecord] {
        let condition = FilterCondition(filter)
        let sql = """
            SELECT line FROM record WHERE run = ? AND number >= ? AND number < ? \(condition.sql) ORDER BY number
            """
        let arguments: StatementArguments = [run, numbers.lowerBound, numbers.upperBound] + condition.arguments
        return try queue.read { database in
            var found: [StoredRecord] = []
            let lines = try Data.fetchCursor(database, sql: sql, arguments: arguments)
            while found.count < limit, let line = try lines.next() {
                guard let record = StoredRecord(line: line), filter.matches(record) else { continue }
                found.append(record)
            }
            return found
        }
    }

    /// Removes the records that exceed the retention.
    private func trim() throws {
        guard let condition = retention.expired(at: .now) else { return }
        try queue.write {
            try $0.execute(sql: "DELETE FROM record WHERE \(condition.sql)", arguments: condition.arguments)
        }
    }
}

/// The error if the database can't be opened.
public struct OpenError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    public var description: String {
        "Can't open the database \(path): \(reason). Choose another file with --database."
    }
}
