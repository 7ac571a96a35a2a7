import BridgeProtocol
import BridgeTraffic
import Foundation
import GRDB
import Synchronization

/// An open database file.
final class DatabaseConnection: Sendable {
    let pool: DatabasePool
    let checkpoints: Checkpoints
    private let path: String
    private let files: [FileIdentity?]
    private let closed = Atomic(false)
    /// Held while the file is read or closed, because SQLite crashes if a connection is closed that another thread reads
    /// from.
    private let reading = NSLock()

    /// - Throws: ``OpenError``
    init(path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw OpenError(path: path, reason: String(cString: strerror(errno))) }
        Foundation.close(descriptor)
        self.path = path
        let file = FileIdentity(path: path)
        do {
            try DatabaseConnection.refuseDatabase(ofOtherPrograms: path)
            pool = try DatabasePool(path: path, configuration: DatabaseConnection.configuration(.wal))
            try Schema.migrator.migrate(pool)
            checkpoints = try Checkpoints(path: path, DatabaseConnection.configuration(.default))
        } catch {
            throw error as? OpenError ?? OpenError(path: path, reason: "\(error)")
        }
        files = DatabaseConnection.files(path)
        guard files.first == file else { throw OpenError(path: path, reason: "it was replaced at this moment") }
    }

    /// Refuses a database that has tables of another program, such as that of a Rails app, before anything in it changes: a
    /// `DatabasePool` turns the file's journal into a write-ahead log, and a migrator adds tables.
    /// - Throws: ``OpenError``, or SQLite's error if the file is no database.
    private static func refuseDatabase(ofOtherPrograms path: String) throws {
        // A connection that can write would move the write-ahead log into the file when it is closed.
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        let tables = try DatabaseQueue(path: path, configuration: configuration).read {
            try String.fetchAll($0, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        }
        let others = tables.filter { $0 != Schema.migrations && !$0.hasPrefix("sqlite_") }
        guard !others.isEmpty, !tables.contains(Schema.migrations) || !others.contains("record") else { return }
        let shown = others.prefix(5).joined(separator: ", ") + (others.count > 5 ? ", …" : "")
        throw OpenError(path: path, reason: "it is the database of another program, with the tables \(shown)")
    }

    /// Whether the path does not name this file any more, because it was deleted or moved. The same is asked of the
    /// files beside it, which have the latest records.
    var isLost: Bool { files != DatabaseConnection.files(path) }

    /// Closes the file, once. SQLite does not move the latest records into a file that was moved away, so this does.
    func close() {
        reading.lock()
        defer { reading.unlock() }
        // A checkpoint of a closed database ends the process.
        guard !closed.exchange(true, ordering: .relaxed) else { return }
        checkpoints.close()
        if isLost { try? pool.writeWithoutTransaction { _ = try $0.checkpoint() } }
        try? pool.close()
    }

    /// Empties the write-ahead log, so that the file itself has all records: whoever copies it need not know of the others.
    /// Called on the thread that appends, which is also the one that closes.
    func consolidate() {
        if !isClosed { checkpoints.truncate() }
    }

    /// Whether the file was closed, because it is opened again.
    var isClosed: Bool { closed.load(ordering: .relaxed) }

    private struct ClosedError: Error {}

    /// Reads from the file.
    /// - Throws: an error if the file is closed: see ``isClosed``.
    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        reading.lock()
        defer { reading.unlock() }
        guard !isClosed else { throw ClosedError() }
        return try pool.read(body)
    }

    /// The number of the first record of one run of the daemon; nil if there is none.
    func oldest(of run: Int64) throws -> Int? {
        try read { try Int.fetchOne($0, sql: "SELECT min(number) FROM record WHERE run = ?", arguments: [run]) }
    }

    /// Finds records of one run of the daemon: see `TrafficArchive.query`.
    func query(
        _ filter: TrafficFilter, in numbers: Range<Int>, of run: Int64, limit: Int, bytes: Int
    ) throws -> [StoredRecord] {
        let condition = FilterCondition(filter)
        let sql = """
            SELECT line FROM record WHERE run = ? AND number >= ? AND number < ? \(condition.sql) ORDER BY number
            """
        let arguments: StatementArguments = [run, numbers.lowerBound, numbers.upperBound] + condition.arguments
        return try read { database in
            var found: [StoredRecord] = []
            var bytesLeft = bytes
            let lines = try Data.fetchCursor(database, sql: sql, arguments: arguments)
            while found.count < limit, bytesLeft > 0, let line = try lines.next() {
                guard let record = StoredRecord(line: line), filter.matches(record) else { continue }
                found.append(record)
                bytesLeft -= record.line.count
            }
            return found
        }
    }

    private static func files(_ path: String) -> [FileIdentity?] {
        ["", "-wal", "-shm"].map { FileIdentity(path: path + $0) }
    }

    /// - Parameter journalMode: `.default` to leave the file's as it is.
    private static func configuration(
        _ journalMode: GRDB.Configuration.JournalModeConfiguration
    ) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.journalMode = journalMode
        // If a tool locks the file for a moment, writing waits for it on its own thread. A read fails at once, because
        // others wait for it, and sometimes the main thread.
        configuration.busyMode = .timeout(2)
        configuration.prepareDatabase { database in
            // Checkpoints do not run within an append: see ``Checkpoints``.
            try database.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
            if database.configuration.readonly { try database.execute(sql: "PRAGMA busy_timeout = 0") }
        }
        return configuration
    }
}

/// Which file a path names.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// - Returns: nil if there is no such file.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
    }
}
