import BridgeProtocol
import Foundation
import GRDB

/// An open database file.
struct DatabaseConnection: Sendable {
    let pool: DatabasePool
    let file: FileIdentity?
    /// The id of this run of the daemon in the table `run`. Records are numbered from 1 in each run.
    let run: Int64

    /// - Parameter run: the run to continue, if the file has it already.
    /// - Throws: ``OpenError``
    init(path: String, continuing run: Int64? = nil) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw OpenError(path: path, reason: String(cString: strerror(errno))) }
        close(descriptor)
        do {
            pool = try DatabasePool(path: path, configuration: DatabaseConnection.configuration)
            try Schema.migrator.migrate(pool)
            file = FileIdentity(path: path)
            self.run =
                try run
                ?? pool.write { database in
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
        // If a tool locks the file for a moment, writing waits for it on its own thread. Reading is done on the main
        // thread, so it fails at once.
        configuration.busyMode = .timeout(2)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
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
