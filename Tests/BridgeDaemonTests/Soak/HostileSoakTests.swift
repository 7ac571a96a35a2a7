import BridgeProcesses
import BridgeProtocol
import Foundation
import GRDB
import TestSupport
import Testing

/// An honest page beside a hostile client of each kind, a reader of standard output that stops reading, a program that locks
/// the database, servers that never answer, and false daemons, which commands of this machine ask.
///
/// It takes five seconds in `make test`; `make soak-hostile MINUTES=…` runs it for that time.
/// `BRIDGED_HOSTILE="junkBatch lockedDatabase"` selects some of them, and `BRIDGED_SEED` repeats a run, as far as threads
/// can be repeated.
@Suite(.serialized) struct HostileSoakTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let minutes = environment["BRIDGED_SOAK_MINUTES"].flatMap(Double.init) ?? 0
    private static let duration: Duration = minutes == 0 ? .seconds(5) : .seconds(60 * minutes)
    private static let seed = environment["BRIDGED_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 32)
    /// Nil for all.
    private static let names = environment["BRIDGED_HOSTILE"].map { $0.split(separator: " ").map(String.init) }

    /// How long the database is locked at a time, in seconds. Nothing is acknowledged before it is in the database.
    private static let lock = 3.0
    /// What the honest page may have to wait, in milliseconds, and what the daemon may use.
    private static let slowest = 2_000 + (names?.contains("lockedDatabase") == false ? 0 : 1_000 * lock)
    private static let largestMemory = 1_024
    /// How long a message should take at most, in milliseconds. The report has the slowest of those that took longer.
    private static let goal = 100.0
    private static let shown = 30

    @Test(.timeLimit(.minutes(Int(HostileSoakTests.minutes) + 10)))
    func honestPageIsServed_besideHostileClients() async throws {
        let folder = try TemporaryFolder()
        let (log, database) = (folder.path("traffic.ndjson"), folder.path("traffic.db"))
        let daemon = try RunningDaemon(
            "--port", "0", "--json", "--log", log, "--database", database, "--keep", "100000000")
        let listening = try await daemon.listening()
        let page = try await HonestPage.attach(port: listening.port)
        let tool = try HonestTool(listening, page: page.id)
        let reader = Task { for await _ in daemon.lines {} }
        defer { reader.cancel() }
        let machine = try MachineWatch(file: folder.path("watch"), daemon: listening.pid)
        defer { machine.stop() }
        let (start, end) = (ContinuousClock.now, ContinuousClock.now + Self.duration)
        let crowd = HostileCrowd(Self.names, port: listening.port, seed: Self.seed)
        defer { crowd.stop() }
        crowd.run("stalledOutput") { stop in daemon.stallOutput(until: stop) }
        crowd.run("lockedDatabase") { stop in try? lock(database, until: stop) }
        let silentServers = try await FalseDaemons("silent")
        crowd.run("silentServer") { stop in silentServers.ask(until: stop) { crowd.count("silentServer") } }
        let falseDaemons = try await FalseDaemons(
            "endless", "hugeHeader", "manyHeaders", "cut", "noHTTP", "errorPage", "nested", "7")
        crowd.run("falseDaemon") { stop in falseDaemons.ask(until: stop) { crowd.count("falseDaemon") } }
        async let evaluated: Void = tool.evaluate(until: end)
        try await page.post(until: { tool.isDone })
        await evaluated
        try await crowd.end()
        let memory = peakMebibytes(listening.pid)
        await page.leave()
        daemon.signal(SIGTERM)
        #expect(try await daemon.exitStatus() == 0)
        let acknowledged = await page.acknowledged
        let logged = Tally(try await lines(of: log, page: page.id))
        let archived = Tally(try await rows(of: database, page: page.id))
        let report = Report(
            delays: await page.delays.sorted(), evaluations: tool.delays.sorted(), memory: memory,
            interruptions: await page.interruptions, attacks: crowd.attacks)
        print("Hostile soak of \(Self.duration) with BRIDGED_SEED=\(Self.seed)\n\(report)")
        for delay in report.delays.suffix(Self.shown).reversed() where delay.milliseconds > Self.goal {
            print(describe(delay, after: start, beside: machine))
        }
        print("  log: \(logged.describe(acknowledged)); database: \(archived.describe(acknowledged))")
        #expect(logged.lost(acknowledged) == 0 && logged.doubled == 0)
        #expect(archived.lost(acknowledged) == 0 && archived.doubled == 0)
        #expect(tool.mistakes.isEmpty && silentServers.mistakes.isEmpty && falseDaemons.mistakes.isEmpty)
        // `make test` runs this for seconds only, beside tests that take the processor.
        if Self.minutes > 0 { #expect(report.slowest < Self.slowest) }
        #expect(memory < Self.largestMemory)
    }

    private func describe(
        _ delay: Delay, after start: ContinuousClock.Instant, beside machine: MachineWatch
    ) -> String {
        let (time, duration) = ((delay.start - start) / .seconds(1), delay.milliseconds)
        return String(format: "  a message took %.1f ms after %.1f s; meanwhile ", duration, time)
            + machine.describe(during: delay)
    }

    /// Locks the database again and again.
    private func lock(_ path: String, until stop: @Sendable () -> Bool) throws {
        let queue = try DatabaseQueue(path: path)
        while !stop() {
            try? queue.inDatabase { database in
                try database.execute(sql: "BEGIN EXCLUSIVE")
                wait(Self.lock, stop)
                try database.execute(sql: "ROLLBACK")
            }
            wait(2, stop)
        }
    }

    /// The numbers of a page's messages in a log, in the log's order. After half an hour the log has 13 GB, for which our own
    /// search, without optimization, takes several minutes.
    private func lines(of log: String, page: String) async throws -> [Int] {
        let output = Pipe.withoutInheritance()
        let search = "grep -F '\"page\":\"\(page)\",' \"$1\" | grep -F '\"kind\":\"message\"'"
        _ = try ChildProcess(URL(fileURLWithPath: "/bin/sh"), ["-c", search, "sh", log], output: .pipe(output))
        let found = try await offThread { output.fileHandleForReading.readAll() }
        return try found.split(separator: UInt8(ascii: "\n")).map {
            try JSON.parse(String(decoding: $0, as: UTF8.self))["seq"]?.wholeNumber ?? 0
        }
    }

    private func rows(of database: String, page: String) async throws -> [Int] {
        try await DatabaseQueue(path: database).read { database in
            try Int.fetchAll(
                database,
                sql: """
                    SELECT json_extract(line, '$.seq') FROM record WHERE kind = 'message' AND page = ? ORDER BY number
                    """,
                arguments: [page])
        }
    }

    /// The largest resident memory that the process has had (proc(5)), or 0 where there is no `/proc`.
    private func peakMebibytes(_ pid: Int) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 >> 10 } ?? 0
    }
}

extension RunningDaemon {
    /// Reads the output for a second, and then not for some seconds, again and again.
    fileprivate func stallOutput(until stop: @Sendable () -> Bool) {
        while !stop() {
            stopReading()
            wait(4, stop)
            readOn()
            wait(1, stop)
        }
    }
}

/// The numbers of a page's messages, in the order in which they were kept.
private struct Tally {
    let doubled: Int
    private let numbers: Set<Int>

    init(_ numbers: [Int]) {
        self.numbers = Set(numbers)
        doubled = numbers.count - self.numbers.count
    }

    func lost(_ acknowledged: Int) -> Int { (1...max(1, acknowledged)).count { !numbers.contains($0) } }

    func describe(_ acknowledged: Int) -> String { "lost \(lost(acknowledged)), doubled \(doubled)" }
}

/// What a run has measured. The shortest delay comes first.
private struct Report: CustomStringConvertible {
    let delays: [Delay]
    let evaluations: [Delay]
    let memory: Int
    let interruptions: Int
    let attacks: [(name: String, count: Int)]

    var slowest: Double { delays.last?.milliseconds ?? .infinity }

    var description: String {
        """
          messages: \(describe(delays)); the connection ended \(interruptions) times
          evaluations: \(describe(evaluations))
          the daemon's largest memory: \(memory) MiB
          attacks: \(attacks.map { "\($0.name) \($0.count)" }.joined(separator: ", "))
        """
    }

    private func describe(_ delays: [Delay]) -> String {
        guard let last = delays.last else { return "none" }
        let shown = [delays[delays.count / 2], delays[delays.count * 99 / 100], last].map {
            String(format: "%.1f", $0.milliseconds)
        }
        return "\(delays.count), median \(shown[0]) ms, p99 \(shown[1]) ms, slowest \(shown[2]) ms"
    }
}
