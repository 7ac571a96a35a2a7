import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Foundation
import GRDB
import TestSupport
import Testing
import TrafficDatabase

/// Records in SQLite, over several runs and within limits.
@MainActor @Suite struct TrafficDatabaseTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("traffic.db") }

    init() throws { folder = try TemporaryFolder() }

    private func record(_ number: Int, handler: String = "nativeApp", name: String? = nil) throws -> StoredRecord {
        StoredRecord(
            TrafficRecord(
                record: number, time: .now, page: "p1", webView: "main", direction: .toNative,
                event: .message(
                    handler: handler, name: name,
                    body: try ScriptValue(json: JSON.parse("{\"text\":\"Tür \(number)\"}")),
                    seq: number, verdict: .handled)))
    }

    @Test(arguments: [
        ("", [1, 2, 3, 4]), ("handler:other", [2]), ("-handler:other", [1, 3, 4]), ("name:A,B", [1, 3]),
        ("-name:A", [2, 3, 4]), ("page:p1 verdict:handled kind:message dir:toNative web-view:main name:A", [1]),
        ("page:p2", []), ("text:\"tür 3\"", [3]), ("reason:noHandler", []),
    ])
    func findsMatchingRecords(text: String, numbers: [Int]) throws {
        let database = try TrafficDatabase(path: path)
        try database.append([
            record(1, name: "A"), record(2, handler: "other"), record(3, name: "B"), record(4),
        ])
        let filter = try TrafficFilter(parsing: text)
        let found = try database.query(filter, in: 1..<100, limit: 10, bytes: .max).map(\.number)
        // Only ASCII letters match in upper and lower case.
        #expect(found == numbers || (text.contains("tür") && found.isEmpty))
    }

    @Test func returnsTheSameBytes() throws {
        let database = try TrafficDatabase(path: path)
        let record = try record(7)
        try database.append([record])
        #expect(try database.query(TrafficFilter(), in: 1..<8, limit: 1, bytes: .max).first?.line == record.line)
        #expect(try database.query(TrafficFilter(), in: 1..<7, limit: 1, bytes: .max).isEmpty)
    }

    @Test func findsOnlyRecordsOfItsOwnRun() throws {
        try TrafficDatabase(path: path).append([record(1), record(2)])
        let next = try TrafficDatabase(path: path)
        try next.append([record(1)])
        #expect(try next.query(TrafficFilter(), in: 1..<10, limit: 10, bytes: .max).count == 1)
    }

    @Test func keepsAsManyRecordsAsConfigured() throws {
        let database = try TrafficDatabase(path: path, retention: .records(50))
        for number in 1...100 { try database.append([record(number)]) }
        #expect(
            try database.query(TrafficFilter(), in: 1..<1_000, limit: 1_000, bytes: .max).map(\.number)
                == Array(51...100))
    }

    @Test func createsAFileThatOnlyTheUserCanRead() throws {
        _ = try TrafficDatabase(path: path)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: [
        ("100000", Retention.records(100_000)), ("7d", .age(.seconds(604_800))), ("12h", .age(.seconds(43_200))),
        ("0", nil), ("-3", nil), ("7w", nil), ("d", nil), ("", nil),
    ])
    func readsRetention(text: String, retention: Retention?) {
        #expect(Retention(text) == retention)
    }

    @Test func saysWhyItCannotBeOpened() throws {
        let error = #expect(throws: OpenError.self) { try TrafficDatabase(path: "/nowhere/traffic.db") }
        #expect(
            error?.description
                == "Can't open the database /nowhere/traffic.db: No such file or directory. Choose another file with --database."
        )
        try Data("no database at all, but long enough to be looked at as one".utf8).write(
            to: URL(fileURLWithPath: path))
        #expect(throws: OpenError.self) { try TrafficDatabase(path: path) }
    }

    // MARK: Files that people change

    private func numbers(_ path: String) throws -> [Int] {
        try DatabaseQueue(path: path).read { try Int.fetchAll($0, sql: "SELECT number FROM record ORDER BY id") }
    }

    private func move(_ path: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: path, toPath: other)
    }

    private func appendAgain(_ record: StoredRecord, to database: TrafficDatabase) throws {
        #expect("\(try #require(throws: (any Error).self) { try database.append([record]) })".contains("was deleted"))
        try database.append([record])
    }

    /// Such as a Rails app's development.sqlite3, by mistake.
    @Test func leavesTheDatabaseOfAnotherProgramAsItIs() throws {
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE posts (id INTEGER PRIMARY KEY)") }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = #expect(throws: OpenError.self) { try TrafficDatabase(path: path) }
        #expect(error.map { "\($0)" }?.contains("another program, with the tables posts") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    /// Whoever copies the file of a daemon that has ended has all records.
    @Test func leavesAllRecordsInTheFile_whenTheDaemonEnds() throws {
        let log = try TrafficLog(path: nil, kept: .none, logger: .init(label: "test"))
        log.keep(in: try TrafficDatabase(path: path))
        _ = log.app("visit", [], page: nil)
        log.flush()
        log.finish(before: .now + .seconds(10))
        let copy = folder.path("copy.db")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try numbers(copy) == [1])
    }

    @Test func keepsEachRecordOnce_ifTheFileWasMovedAwayAndBack() throws {
        let database = try TrafficDatabase(path: path)
        try database.append([record(1)])
        try move(path, to: path + ".old")
        #expect(throws: (any Error).self) { try database.append([record(2)]) }
        try move(path + ".old", to: path)
        try database.append([record(2)])
        try database.append([record(3)])
        #expect(try numbers(path) == [1, 2, 3])
    }

    @Test func leavesAllRecordsInAFileThatWasMovedAway() throws {
        let database = try TrafficDatabase(path: path)
        try database.append([record(1)])
        try move(path, to: path + ".old")
        try appendAgain(record(2), to: database)
        #expect(try numbers(path + ".old") == [1, 2] && numbers(path) == [2])
    }

    @Test func makesANewFile_ifOneThatCannotBeWrittenWasDeleted() throws {
        let database = try TrafficDatabase(path: path)
        try DatabaseQueue(path: path).write {
            try $0.execute(
                sql: "CREATE TRIGGER full BEFORE INSERT ON record BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
        }
        #expect(throws: DatabaseError.self) { try database.append([record(1)]) }
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
        try appendAgain(record(1), to: database)
        #expect(try numbers(path) == [1])
    }

    @Test func opensTheFileAgain_ifItsLatestRecordsWereDeleted() throws {
        let database = try TrafficDatabase(path: path)
        try database.append([record(1)])
        try FileManager.default.removeItem(atPath: path + "-wal")
        try appendAgain(record(2), to: database)
        #expect(try numbers(path) == [1, 2])
    }

    /// The connection to the deleted file is closed, and must not be closed or used again.
    @Test func triesAgain_whileTheFileCannotBeOpened() throws {
        let database = try TrafficDatabase(path: path)
        try database.append([record(1)])
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for _ in 1...3 { #expect(throws: (any Error).self) { try database.append([record(2)]) } }
        #expect(throws: (any Error).self) { try database.query(TrafficFilter(), in: 1..<10, limit: 10, bytes: .max) }
        try FileManager.default.removeItem(atPath: path)
        try database.append([record(2)])
        #expect(try numbers(path) == [2])
    }

    /// The new run of another daemon gets the number of the run that was removed.
    @Test func beginsANewRun_ifItsOwnWasRemoved() throws {
        let database = try TrafficDatabase(path: path)
        try database.append([record(1)])
        var configuration = GRDB.Configuration()
        configuration.foreignKeysEnabled = false
        try DatabaseQueue(path: path, configuration: configuration).write {
            try $0.execute(sql: "DELETE FROM record; DELETE FROM run")
        }
        let other = try TrafficDatabase(path: path)
        try other.append([record(2, name: "other")])
        try database.append([record(2, name: "mine"), record(3)])
        #expect(try numbers(path) == [2, 2, 3])
        #expect(
            try database.query(TrafficFilter(), in: 1..<10, limit: 10, bytes: .max).map(\.facets.name) == ["mine", nil])
    }

    /// A server with a small ring finds older records in the archive.
    @Test func returnsRecordsThatTheRingNoLongerHas() async throws {
        let database = try TrafficDatabase(path: path)
        try await withServer {
            $0.limits.records = 10
        } _: { server, address in
            server.traffic.keep(in: database)
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let (page, _) = try await PageClient.attach(port: address.port)
            let batch = (1...200).map { PageClient.post("{\"name\":\"M\($0)\"}", seq: $0) }
            page.send("[\(batch.joined(separator: ","))]")
            _ = try await page.next("method", "page.ack")
            let messages = TrafficFilter([.init(.kind, "message")])
            var names: [String] = []
            var after = 0
            while case let (records, next) = server.traffic.query(messages, after: after, limit: 30), !records.isEmpty {
                names += records.compactMap(\.facets.name)
                after = next
            }
            #expect(names == (1...200).map { "M\($0)" })
            let old = try await server.traffic.next(.init([.init(.name, "M3")]), after: 0, timeout: .seconds(5))
            #expect(old.facets.name == "M3")
        }
    }
}
