import BridgeProtocol
import Foundation
import GRDB
import TestSupport
import Testing
import TrafficDatabase

/// Acknowledged messages are on disk, however the daemon ends.
@Suite(.timeLimit(.minutes(4))) struct KillTests {
    /// On a busy machine the daemon may be done before the signal comes, so this tries again then.
    @Test func keepsEveryAcknowledgedMessage_whenKilled() async throws {
        for _ in 1...5 {
            if try await killedDaemonAcknowledges() < 10_000 { return }
        }
        Issue.record("The daemon never died in the middle.")
    }

    /// Kills a daemon that has 10,000 messages to handle, and checks what it has kept.
    /// - Returns: the last message that it acknowledged.
    private func killedDaemonAcknowledges() async throws -> Int {
        let folder = try TemporaryFolder()
        let (log, database) = (folder.path("traffic.ndjson"), folder.path("traffic.db"))
        let daemon = try RunningDaemon("--port", "0", "--json", "--log", log, "--database", database)
        let (page, _) = try await PageClient.attach(port: daemon.listening().port)
        for first in stride(from: 1, to: 10_000, by: 20) {
            let batch = (first..<first + 20).map {
                PageClient.post("{\"name\":\"ActionButton\",\"path\":\"/\($0)\",\"icon\":\"plus\"}", seq: $0)
            }
            page.send("[\(batch.joined(separator: ","))]")
        }
        var acknowledged = 0
        while acknowledged < 3_000 {
            acknowledged = try await Int(page.next("method", "page.ack")["params"]?["seq"]?.number ?? 0)
        }
        daemon.signal(SIGKILL)
        #expect(try await daemon.exitStatus() == 128 + SIGKILL)
        while let late = try? await page.next("method", "page.ack")["params"]?["seq"]?.number {
            acknowledged = Int(late)
        }
        let logged = try messages(in: folder.lines("traffic.ndjson"))
        #expect(logged == Array(1...logged.count) && logged.count >= acknowledged)
        let kept = try await DatabaseQueue(path: database).read { database in
            try #require(try String.fetchOne(database, sql: "PRAGMA integrity_check") == "ok")
            return try String.fetchAll(database, sql: "SELECT line FROM record WHERE kind = 'message' ORDER BY number")
        }
        let seqs = try messages(in: kept.map { try JSON.parse($0) })
        #expect(seqs == Array(1...seqs.count) && seqs.count >= acknowledged)
        return acknowledged
    }

    private func messages(in records: [JSON]) -> [Int] {
        records.filter { $0["kind"]?.string == "message" }.compactMap { $0["seq"]?.wholeNumber }
    }
}
