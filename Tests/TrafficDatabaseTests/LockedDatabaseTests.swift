import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Foundation
import GRDB
import TestSupport
import Testing
import TrafficDatabase

/// A database that another program locks or deletes, beside pages that post.
@MainActor @Suite(.timeLimit(.minutes(4))) struct LockedDatabaseTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("traffic.db") }

    init() throws { folder = try TemporaryFolder() }

    private func kept() throws -> [Int] {
        try DatabaseQueue(path: path).read { database in
            try String.fetchAll(database, sql: "SELECT line FROM record WHERE kind = 'message' ORDER BY number")
        }.compactMap { try JSON.parse($0)["seq"]?.wholeNumber }
    }

    private func post(_ seqs: ClosedRange<Int>, from page: PageClient) {
        let batch = seqs.map { PageClient.post("{\"name\":\"M\($0)\"}", seq: $0) }
        page.send("[\(batch.joined(separator: ","))]")
    }

    @Test func servesMeanwhile_andAcknowledgesOnlyWhatIsKept() async throws {
        try await withServer { server, address in
            server.traffic.keep(in: try TrafficDatabase(path: path))
            var handled = 0
            server.addHandler(
                "nativeApp",
                .plain { _, _ in
                    handled += 1
                    return .handled
                })
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            post(1...10, from: page)
            while try await page.next("method", "page.ack")["params"]?["seq"]?.number != 10 {}

            var configuration = GRDB.Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: path, configuration: configuration)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            post(11...30, from: page)
            let problem = try await recorder.problem("logFailed")
            #expect(problem.text.hasPrefix("Can't write the database: SQLite error 5"), "\(problem)")
            #expect(handled == 30, "the loop did not wait for the lock")
            #expect(try await HTTPClient.request(path: "/health", port: address.port).status == 200)
            #expect(try kept() == Array(1...10))
            // The page is told of what is kept, and must send the rest again if the daemon dies.
            let (again, result) = try await PageClient.attach(port: address.port, resume: true)
            #expect(result["resumed"]?.bool == true && result["lastSeq"]?.number == 10)
            post(11...30, from: again)

            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            while try await again.next("method", "page.ack")["params"]?["seq"]?.number != 30 {}
            #expect(try kept() == Array(1...30) && handled == 30)
        }
    }

    @Test func makesANewDatabase_ifItWasDeleted() async throws {
        try await withServer { server, address in
            server.traffic.keep(in: try TrafficDatabase(path: path))
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            post(1...10, from: page)
            while try await page.next("method", "page.ack")["params"]?["seq"]?.number != 10 {}
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            post(11...20, from: page)
            while try await page.next("method", "page.ack")["params"]?["seq"]?.number != 20 {}
            _ = try await recorder.problem("logFailed")
            #expect(try kept() == Array(11...20))
        }
    }
}
