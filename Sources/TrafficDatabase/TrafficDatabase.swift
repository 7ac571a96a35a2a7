import BridgeProtocol
public import BridgeTraffic
import Foundation
import GRDB
import Synchronization

/// An SQLite file with the traffic records of any number of runs of the daemon.
///
/// The file is in WAL mode: records survive a `kill -9` as soon as `append` has returned. After a power failure the
/// last transactions may be missing, but the file is intact.
public final class TrafficDatabase: TrafficArchive {
    private let path: String
    private let retention: Retention
    private let startedAt = Timestamp.now
    private let state: Mutex<State>
    /// Held while the file is opened again.
    private let reopening = Mutex(())

    private struct State {
        var connection: DatabaseConnection
        /// The id of this run of the daemon in the table `run`. Records are numbered from 1 in each run.
        var run: Int64
        /// Whether to open the file again before the next records.
        var mustReopen = false
        var appendedSinceTrim = 0
    }

    /// Opens or creates the file. Only the user can read a new file, because it has the contents of messages.
    /// - Throws: ``OpenError``
    public init(path: String, retention: Retention = .everything) throws {
        self.path = path
        self.retention = retention
        let connection = try DatabaseConnection(path: path)
        do {
            let run = try connection.pool.write { [startedAt] in try Schema.run(nil, startedAt: startedAt, in: $0) }
            state = Mutex(State(connection: connection, run: run))
        } catch {
            throw OpenError(path: path, reason: "\(error)")
        }
    }

    public func append(_ records: [StoredRecord]) throws {
        let connection = try currentConnection()
        let result = Result { try insert(records, connection) }
        // If the file was deleted, it does not matter whether it could be written: it may be what fills the disk.
        guard !connection.isLost else {
            state.withLock { $0.mustReopen = true }
            throw LostFileError(path: path)
        }
        try result.get()
        connection.checkpoints.appended(records.reduce(0) { $0 + $1.line.count })
        let mustTrim = state.withLock { state in
            state.appendedSinceTrim += records.count
            guard state.appendedSinceTrim >= retention.trimInterval else { return false }
            state.appendedSinceTrim = 0
            return true
        }
        // The records are kept, even if old ones cannot be removed now.
        if mustTrim { try? trim(connection) }
    }

    /// Inserts records that may be in the file already, if it was moved away and back.
    private func insert(_ records: [StoredRecord], _ connection: DatabaseConnection) throws {
        let last = state.withLock(\.run)
        let run = try connection.pool.write { [startedAt] database in
            let run = try Schema.run(last, startedAt: startedAt, in: database)
            let statement = try database.cachedStatement(sql: Schema.insertion)
            for record in records {
                try statement.setArguments(Schema.arguments(of: record, run: run))
                try statement.execute()
            }
            return run
        }
        state.withLock { $0.run = run }
    }

    public func consolidate() { state.withLock(\.connection).consolidate() }

    public func reopen() { state.withLock { $0.mustReopen = true } }

    public func query(
        _ filter: TrafficFilter, in numbers: Range<Int>, limit: Int, bytes: Int
    ) throws -> [StoredRecord] {
        try read { try $0.query(filter, in: numbers, of: $1, limit: limit, bytes: bytes) }
    }

    public func oldest() throws -> Int? { try read { try $0.oldest(of: $1) } }

    private func read<Value>(_ body: (DatabaseConnection, _ run: Int64) throws -> Value) throws -> Value {
        let (connection, run) = state.withLock { ($0.connection, $0.run) }
        do {
            return try body(connection, run)
        } catch  where connection.isClosed {
            // The file was opened again meanwhile.
            let (fresh, run) = reopening.withLock { _ in state.withLock { ($0.connection, $0.run) } }
            return try body(fresh, run)
        }
    }

    private func currentConnection() throws -> DatabaseConnection {
        let (old, mustReopen) = state.withLock { ($0.connection, $0.mustReopen) }
        guard mustReopen else { return old }
        return try reopening.withLock { _ in
            // Two connections to files of one name would share the files -wal and -shm.
            old.close()
            let fresh = try DatabaseConnection(path: path)
            state.withLock { state in
                state.connection = fresh
                state.mustReopen = false
            }
            return fresh
        }
    }

    /// Removes the records that exceed the retention.
    private func trim(_ connection: DatabaseConnection) throws {
        guard let condition = retention.expired(at: .now) else { return }
        let removed = try connection.pool.write {
            try $0.execute(sql: "DELETE FROM record WHERE \(condition.sql)", arguments: condition.arguments)
            return $0.changesCount
        }
        // Rows of a few hundred bytes, and their entries in the indexes.
        connection.checkpoints.appended(removed * 1_024)
    }
}

/// The error if the database can't be opened.
public struct OpenError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    public var description: String {
        sentence("Can't open the database \(path): \(reason)") + " Choose another file with --database."
    }
}

/// The error if the database was deleted or moved, so that what was written is not in the file of that name.
private struct LostFileError: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path) was deleted or moved, and is opened again" }
}
