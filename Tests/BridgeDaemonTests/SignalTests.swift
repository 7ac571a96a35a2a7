import BridgeProcesses
import BridgeProtocol
import Foundation
import GRDB
import TestSupport
import Testing

/// How the executable handles signals and a full disk.
@Suite(.timeLimit(.minutes(4))) struct SignalTests {
    /// A message is acknowledged only after it is in the log, and every message sent before the signal is handled.
    @Test func handlesAndLogs_messagesReceivedBeforeSIGTERM() async throws {
        let folder = try TemporaryFolder()
        let daemon = try RunningDaemon("--port", "0", "--json", "--log", folder.path("log.ndjson"))
        let port = try await daemon.listening().port
        let (other, _) = try await PageClient.attach(port: port, document: "other")
        defer { other.drop() }
        let (page, _) = try await PageClient.attach(port: port)
        let count = 2_000
        for first in stride(from: 1, through: 1_000, by: 20) { page.send(batch(first..<first + 20)) }
        // With another page, this one takes turns, so that most of its messages wait when the signal comes.
        page.send(batch(1_001..<2_001))
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

    @Test(arguments: [SIGTERM, SIGINT])
    func endsCleanly_whenASignalComesRightAfterTheFirstLine(_ signal: Int32) async throws {
        for _ in 1...5 {
            let daemon = try RunningDaemon("--port", "0", "--json")
            _ = try await daemon.listening()
            daemon.signal(signal)
            #expect(try await daemon.exitStatus() == 0)
        }
    }

    /// As the daemon does on a Mac.
    @Test func servesAndStops_ifTheLoopIsBesideTheMainThread() async throws {
        let output = Pipe.withoutInheritance()
        let process = try ChildProcess(
            Executable.beside("EchoApp"), ["--own-thread"], output: .pipe(output),
            errors: .standardError)
        let line = try await offThread { String(decoding: output.fileHandleForReading.readChunk(), as: UTF8.self) }
        let port = try #require(UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)))
        let (page, _) = try await PageClient.attach(port: port)
        await page.post(action, seq: 1)
        _ = try await page.next("method", "page.ack")
        process.signal(SIGTERM)
        #expect(await page.closeCode() == 1001)
        #expect(try await offThread { process.waitForEnd().isSuccess })
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

    @Test func acknowledgesNothing_whenTheDiskIsFull() async throws {
        let daemon = try RunningDaemon("--port", "0", "--json", "--log", "/dev/full")
        let port = try await daemon.listening().port
        let (page, _) = try await PageClient.attach(port: port)
        page.send(batch(1..<101))
        try await expectLogFailure(of: daemon, "No space left on device")
        #expect(try await HTTPClient.request(path: "/health", port: port).status == 200)
        daemon.signal(SIGTERM)
        #expect(try await daemon.exitStatus() == 0)
        await #expect(throws: PageClient.Interrupted.self) { try await page.next("method", "page.ack") }
    }

    #if os(Linux)
        /// Files are limited to 256 KiB, so that the log and the database end in the middle of a record.
        @Test(arguments: ["log", "database"])
        func writesEverythingLater_whenFilesCannotGrow(kind: String) async throws {
            let folder = try TemporaryFolder()
            let path = folder.path("traffic")
            let daemon = try RunningDaemon(
                ["--port", "0", "--json", "--\(kind)", path], by: "ulimit -S -f 512; exec \"$@\"")
            let listening = try await daemon.listening()
            let (page, _) = try await PageClient.attach(port: listening.port)
            for first in stride(from: 1, to: 3_000, by: 100) { page.send(batch(first..<first + 100)) }
            try await expectLogFailure(of: daemon, kind == "log" ? "File too large" : "SQLite error")
            try raiseFileLimit(of: listening.pid)
            daemon.signal(SIGHUP)
            while try await page.next("method", "page.ack")["params"]?["seq"]?.number != 3_000 {}
            let records = try kind == "log" ? folder.lines("traffic") : records(inDatabase: path)
            #expect(records.compactMap { $0["record"]?.wholeNumber } == Array(1...records.count))
            #expect(records.count { $0["kind"]?.string == "message" } == 3_000)
        }
    #endif

    private func raiseFileLimit(of pid: Int) throws {
        let process = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/prlimit"), ["--pid", "\(pid)", "--fsize=unlimited"], errors: .standardError)
        #expect(process.waitForEnd().isSuccess)
    }

    private func records(inDatabase path: String) throws -> [JSON] {
        try DatabaseQueue(path: path).read { database in
            try String.fetchAll(database, sql: "SELECT line FROM record ORDER BY number")
        }.map { try JSON.parse($0) }
    }

    @Test func goesOnInANewLog_ifItWasDeleted() async throws {
        let folder = try TemporaryFolder()
        let daemon = try RunningDaemon("--port", "0", "--json", "--log", folder.path("log.ndjson"))
        let (page, _) = try await PageClient.attach(port: daemon.listening().port)
        for seq in 1...3 {
            if seq == 2 { try FileManager.default.removeItem(atPath: folder.path("log.ndjson")) }
            await page.post(action, seq: seq)
            _ = try await page.next("method", "page.ack")
        }
        let lines = try folder.lines("log.ndjson")
        #expect(lines.compactMap { $0["seq"]?.number } == [2, 3])
        #expect(lines.contains { $0["code"]?.string == "logFailed" })
    }

    /// Somebody made a pipe to look at the log, and does not read it.
    @Test func servesMeanwhile_ifTheLogIsAPipeThatIsNotRead() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let daemon = try RunningDaemon("--port", "0", "--json", "--log", path)
        let port = try await daemon.listening().port
        let (page, _) = try await PageClient.attach(port: port)
        for first in stride(from: 1, to: 2_000, by: 100) { page.send(batch(first..<first + 100)) }
        try await expectLogFailure(of: daemon, "that is not read")
        #expect(try await HTTPClient.request(path: "/health", port: port).status == 200)
        let reader = try #require(FileHandle(forReadingAtPath: path))
        async let read = offThread { reader.readAll() }
        while try await page.next("method", "page.ack")["params"]?["seq"]?.number != 2_000 {}
        daemon.signal(SIGTERM)
        let text = String(decoding: try await read, as: UTF8.self)
        #expect(text.split(separator: "\n").count { $0.contains("\"kind\":\"message\"") } == 2_000)
    }

    private let action = #"{"name":"ActionButton","path":"/customers/new","icon":"plus"}"#

    private func batch(_ seqs: Range<Int>) -> String {
        "[\(seqs.map { PageClient.post(action, seq: $0) }.joined(separator: ","))]"
    }

    /// Waits until the daemon reports that writing failed.
    private func expectLogFailure(of daemon: RunningDaemon, _ reason: String) async throws {
        for await line in daemon.lines {
            let record = try JSON.parse(line)
            guard record["code"]?.string == "logFailed" else { continue }
            #expect(record["text"]?.string?.contains(reason) == true, "\(record)")
            #expect(record["hint"]?.string?.contains("SIGHUP") == true)
            return
        }
        Issue.record("the daemon has ended")
    }
}
