import GRDBSQLite

extension TrafficDatabase {
    /// The version of SQLite that this process has loaded.
    package static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
