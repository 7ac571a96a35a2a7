import BridgeProtocol
import BridgeTraffic
import Foundation
import GRDB

/// The tables of the database, and the statement that inserts a record.
enum Schema {
    /// The table in which a `DatabaseMigrator` notes which migrations a file has.
    static let migrations = "grdb_migrations"

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: records") { database in
            try database.execute(
                sql: """
                    CREATE TABLE run (id INTEGER PRIMARY KEY, startedAt INTEGER NOT NULL, pid INTEGER NOT NULL);
                    CREATE TABLE record (
                        id INTEGER PRIMARY KEY,
                        run INTEGER NOT NULL REFERENCES run (id),
                        number INTEGER NOT NULL,
                        time INTEGER NOT NULL,     -- microseconds since 1970
                        direction TEXT NOT NULL, kind TEXT NOT NULL,
                        page TEXT, webView TEXT, handler TEXT, name TEXT, outcome TEXT, reason TEXT,
                        line TEXT NOT NULL         -- the whole record as JSON, as in the log
                    );
                    CREATE UNIQUE INDEX recordByNumber ON record (run, number);
                    CREATE INDEX recordByTime ON record (time);
                    CREATE INDEX recordByPage ON record (page, id) WHERE page IS NOT NULL;
                    CREATE INDEX recordByHandler ON record (handler, id) WHERE handler IS NOT NULL;
                    CREATE INDEX recordByName ON record (name, id) WHERE name IS NOT NULL;
                    """)
        }
        return migrator
    }

    static let insertion = """
        INSERT INTO record (run, number, time, direction, kind, page, webView, handler, name, outcome, reason, line)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (run, number) DO NOTHING
        """

    /// Returns the id of a run in the table `run`. Makes a row if there is none: in a new file, or because a tool has
    /// removed it. The ids of removed rows may be those of other runs now.
    /// - Parameter id: the id that the run had when it was written last.
    static func run(_ id: Int64?, startedAt: Timestamp, in database: Database) throws -> Int64 {
        let (time, process) = (startedAt.microseconds, getpid())
        let found = try Int64.fetchOne(
            database, sql: "SELECT id FROM run WHERE id = ? AND startedAt = ? AND pid = ?",
            arguments: [id, time, process])
        if let found { return found }
        try database.execute(sql: "INSERT INTO run (startedAt, pid) VALUES (?, ?)", arguments: [time, process])
        return database.lastInsertedRowID
    }

    static func arguments(of record: StoredRecord, run: Int64) -> StatementArguments {
        let facets = record.facets
        return [
            run, record.number, record.time.microseconds, facets.direction.rawValue, facets.kind.rawValue, facets.page,
            facets.webView, facets.handler, facets.name, facets.outcome?.rawValue, facets.reason,
            String(decoding: record.line.dropLast(), as: UTF8.self),
        ]
    }
}
