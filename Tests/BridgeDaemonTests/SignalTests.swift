import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// How the executable handles signals and a full disk.
@Suite(.timeLimit(.minutes(1))) struct SignalTests {
    /// A message is acknowledged only after it is in the log, and every message sent before the signal is handled.
    @Test func handlesAndLogs_messagesReceivedBeforeSIGTERM() async throws {
        let folder = try TemporaryFolder()
        let daemon = try RunningDaemon("--port", "0", "--json", "--log", folder.path("log.ndjson"))
        let (page, _) = try await PageClient.attach(port: daemon.listening().port)
        let count = 2_000
        for first in stride(from: 1, through: count, by: 20) { page.send(batch(first..<first + 20)) }
        daemon.signal(SIGTERM)
        var acknowledged = 0
        while let seq = try? await page.next("method", "page.ack")["params"]?["seq"]?.number {
            acknowledged = Int(seq)
        }
        #expect(try await daemon.exitStatus() == 0)
        let logged = try folder.lines("log.ndjson").filter { $0["kind"]?.string == "message" }
        #expect(logged.map { $0["seq"]?.number } == (1...count).map(Double.init))
        #expect(acknowledged == count)
    }

    @Test func reopensTheLog_onSIGHUP_withoutLosingRecords() async throws {
        let folder = try TemporaryFolder()
        let daemon = try RunningDaemon("--port", "0", "--json", "--log", folder.path("log.ndjson"))
        let (page, _) = try await PageClient.attach(port: daemon.listening().port)
        var last = 0
        func postOne() async throws {
            last += 1
            await page.post(action, seq: last)
            _ = try await page.next("method", "page.ack")
        }
        try await postOne()
        // logrotate does the same.
        try FileManager.default.moveItem(atPath: folder.path("log.ndjson"), toPath: folder.path("log.ndjson.1"))
        daemon.signal(SIGHUP)
        while !FileManager.default.fileExists(atPath: folder.path("log.ndjson")) { try await postOne() }
        try await postOne()
        let (old, new) = (try folder.lines("log.ndjson.1"), try folder.lines("log.ndjson"))
        #expect(
            !new.isEmpty
                && (old + new).compactMap { $0["record"]?.number } == (1...old.count + new.count).map(Double.init))
        #expect((old + new).filter { $0["kind"]?.string == "message" }.count == last)
    }

    @Test func continuesWithoutLog_whenTheDiskIsFull() async throws {
        let daemon = try RunningDaemon("--port", "0", "--json", "--log", "/dev/full")
        let page = try await expectLogFailure(of: daemon, "No space left on device", posting: 1...1)
        for seq in 2...100 { await page.post(action, seq: seq) }
        while try await page.next("method", "page.ack")["params"]?["seq"]?.number != 100 {}
    }

    /// Files are limited to 256 KiB, so that the log and the database end in the middle of a record.
    @Test func continuesWithoutLog_whenFilesCannotGrow_andWritesAgainAfterSIGHUP() async throws {
        let folder = try TemporaryFolder()
        let (log, database) = (folder.path("log.ndjson"), folder.path("traffic.db"))
        let daemon = try RunningDaemon(
            ["--port", "0", "--json", "--log", log, "--database", database], by: "ulimit -S -f 512; exec \"$@\"")
        let page = try await expectLogFailure(of: daemon, "File too large", posting: 1...3_000)
        #expect(try Data(contentsOf: URL(fileURLWithPath: log)).count == 512 * 512)
        // Makes room, as a tool that rotates logs does.
        try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
        daemon.signal(SIGHUP)
        var seq = 3_000
        while try FileManager.default.fileExists(atPath: log) == false || folder.lines("log.ndjson").isEmpty {
            seq += 1
            await page.post(action, seq: seq)
            while try await page.next("method", "page.ack")["params"]?["seq"]?.number != Double(seq) {}
        }
        #expect(try folder.lines("log.ndjson").last?["seq"]?.number == Double(seq))
    }

    private let action = #"{"name":"ActionButton","path":"/customers/new","icon":"plus"}"#

    private func batch(_ seqs: Range<Int>) -> String {
        "[\(seqs.map { PageClient.post(action, seq: $0) }.joined(separator: ","))]"
    }

    /// Posts, and waits until every message is acknowledged and the daemon reports that writing failed.
    private func expectLogFailure(
        of daemon: RunningDaemon, _ reason: String, posting seqs: ClosedRange<Int>
    ) async throws -> PageClient {
        let (page, _) = try await PageClient.attach(port: daemon.listening().port)
        page.send(batch(Range(seqs)))
        while try await page.next("method", "page.ack")["params"]?["seq"]?.number != Double(seqs.upperBound) {}
        for await line in daemon.lines {
            let record = try JSON.parse(line)
            guard record["code"]?.string == "logFailed" else { continue }
            #expect(record["text"]?.string?.contains(reason) == true, "\(record)")
            #expect(record["hint"]?.string?.contains("SIGHUP") == true)
            break
        }
        return page
    }
}
