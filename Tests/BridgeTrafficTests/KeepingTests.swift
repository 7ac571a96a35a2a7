import BridgeProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BridgeTraffic
@testable import Simulation

/// What the log does if its file or its archive cannot be written.
@MainActor @Suite(.timeLimit(.minutes(4))) struct KeepingTests {
    private let disk = FaultyDisk()
    private let clock = SimulatedClock()
    private let path = "traffic.ndjson"

    private func makeLog(waiting: RecordRing.Limits = .none, hasFile: Bool = true) throws -> TrafficLog {
        try TrafficLog(
            path: hasFile ? path : nil, kept: .init(records: 5, bytes: 1 << 20), waiting: waiting,
            logger: .init(label: "test"), clock: clock, disk: disk)
    }

    private func post(_ seqs: ClosedRange<Int>, to log: TrafficLog) {
        for seq in seqs {
            log.append(
                .message(handler: "h", name: nil, body: .number(Double(seq)), seq: seq, verdict: .handled), .toNative,
                nil
            )
        }
    }

    /// The lines of a file. A line that is not JSON is null.
    private func lines(_ path: String) -> [JSON] {
        disk.text(path).split(separator: "\n").map { (try? JSON.parse($0)) ?? .null }
    }

    private func numbers(_ lines: [JSON]) -> [Int?] { lines.map { $0["record"]?.wholeNumber } }

    @Test func writesWhatAFullDiskRefused_whenItHasRoomAgain() throws {
        let log = try makeLog()
        disk.room = 200
        post(1...3, to: log)
        log.flush()
        #expect(log.keptThrough == 0 && disk.text(path).utf8.count == 200, "the second line is incomplete")
        post(4...5, to: log)
        log.flush()
        let problems = log.query(TrafficFilter([.init(.kind, "problem")]), limit: 10).records
        #expect(problems.count == 1)
        #expect(
            problems.first?.json["text"]?.string == "Can't write the log traffic.ndjson: No space left on device.")
        var reports = 0
        log.onKept { reports += 1 }
        disk.room = nil
        clock.advance(by: .seconds(1))
        #expect(reports == 1 && log.keptThrough == 6)
        #expect(numbers(lines(path)) == [1, 2, 3, 4, 5, 6])
    }

    @Test func triesAtOnce_whenTheLogIsReopened() throws {
        let log = try makeLog()
        disk.room = 200
        post(1...3, to: log)
        log.flush()
        disk.move(path, to: "old")
        disk.room = nil
        log.reopenFiles()
        #expect(log.keptThrough == 4)
        #expect(numbers(lines("old")) == [1, nil], "the disk was full within the second line")
        #expect(numbers(lines(path)) == [1, 2, 3, 4], "the old file may be deleted before the acknowledgement")
    }

    @Test func goesOnInANewFile_ifTheLogWasDeleted() throws {
        let log = try makeLog()
        post(1...1, to: log)
        log.flush()
        disk.delete(path)
        post(2...2, to: log)
        log.flush()
        #expect(log.keptThrough == 3, "the problem and the record are in the new file")
        #expect(numbers(lines(path)) == [2, 3])
        #expect(lines(path).last?["text"]?.string == "The log traffic.ndjson was deleted.")
    }

    /// None of the lines in the file was acknowledged while others waited.
    @Test(arguments: [true, false]) func writesEverythingAgain_ifAFullLogIsDeletedOrTruncated(isDeleted: Bool) throws {
        let log = try makeLog()
        disk.room = 200
        post(1...3, to: log)
        log.flush()
        #expect(log.keptThrough == 0 && disk.text(path).utf8.count == 200)
        isDeleted ? disk.delete(path) : disk.truncate(path)
        disk.room = nil
        clock.advance(by: .seconds(1))
        #expect(log.keptThrough == log.lastRecord)
        #expect(numbers(lines(path)) == Array(1...log.lastRecord))
    }

    @Test func makesRoom_ifTheLogThatFillsTheDiskWasDeleted() throws {
        let log = try makeLog()
        post(1...10, to: log)
        log.flush()
        disk.room = 0
        post(11...12, to: log)
        log.flush()
        #expect(log.keptThrough == 10)
        disk.delete(path)
        clock.advance(by: .seconds(1))
        #expect(log.keptThrough == 14 && numbers(lines(path)) == [11, 12, 13, 14])
        #expect(lines(path).last?["text"]?.string == "The log traffic.ndjson was deleted.")
    }

    @Test func goesOnInANewFile_ifTheLogWasMovedAndCannotBeWritten() throws {
        let log = try makeLog()
        disk.room = 0
        post(1...1, to: log)
        log.flush()
        disk.move(path, to: "old")
        clock.advance(by: .seconds(1))
        disk.room = nil
        clock.advance(by: .seconds(1))
        #expect(disk.text("old").isEmpty && numbers(lines(path)) == [1, 2, 3])
    }

    @Test func sharesAFullDiskWithAnotherDaemon() throws {
        let (log, other) = (try makeLog(), try makeLog())
        post(100...100, to: other)
        other.flush()
        disk.room = 200
        post(1...3, to: log)
        log.flush()
        disk.room = nil
        post(101...101, to: other)
        other.flush()
        clock.advance(by: .seconds(1))
        #expect(log.keptThrough == log.lastRecord && other.keptThrough == other.lastRecord)
        let seqs = Set(lines(path).compactMap { $0["seq"]?.wholeNumber })
        #expect(seqs == [1, 2, 3, 100, 101])
    }

    @Test func goesOnInTheOtherFile_ifTheLogWasReplaced() throws {
        let log = try makeLog()
        post(1...1, to: log)
        log.flush()
        disk.move(path, to: "old")
        _ = try disk.open(path)
        clock.advance(by: .seconds(1))
        post(3...3, to: log)
        log.flush()
        #expect(numbers(lines("old")) == [1] && numbers(lines(path)) == [2, 3])
    }

    /// A pipe is full in every moment in which its reader is slower than the daemon.
    @Test func saysNothingOfAPipe_thatIsFullForAMoment() throws {
        let log = try makeLog()
        (disk.room, disk.failure) = (0, EAGAIN)
        post(1...1, to: log)
        log.flush()
        clock.advance(by: .milliseconds(20))
        disk.room = nil
        clock.advance(by: .milliseconds(20))
        #expect(log.keptThrough == 1 && log.lastRecord == 1)
        disk.room = 0
        post(2...2, to: log)
        log.flush()
        for _ in 1...100 { clock.advance(by: .milliseconds(20)) }
        let problems = log.query(TrafficFilter([.init(.kind, "problem")]), limit: 10).records
        #expect(problems.map { $0.json["code"]?.string } == ["logFailed"])
    }

    @Test func leavesOutOtherRecordsThanMessages_ifTooMuchWaits() throws {
        let log = try makeLog(waiting: .init(records: 10, bytes: 1 << 20))
        disk.room = 0
        post(1...9, to: log)
        log.flush()
        #expect(log.isFull, "the tenth record is the problem")
        for _ in 1...30 { log.app("noise", [], page: nil) }
        post(10...10, to: log)
        disk.room = nil
        clock.advance(by: .seconds(1))
        post(11...11, to: log)
        log.flush()
        let written = lines(path)
        #expect(written.filter { $0["kind"]?.string == "message" }.count == 11)
        let gaps = written.filter { $0["kind"]?.string == "gap" }
        #expect(gaps.count == 1 && gaps.first?["count"]?.number == 20 && gaps.first?["record"]?.number == 40)
        #expect(written.count == 11 + 1 + 10 + 1 && !log.isFull && log.keptThrough == log.lastRecord)
    }

    @Test func keepsAllUpToTheLastRecord_ifThatWasLeftOut() throws {
        let log = try makeLog(waiting: .init(records: 10, bytes: 1 << 20))
        disk.room = 0
        post(1...9, to: log)
        log.flush()
        for _ in 1...30 { log.app("noise", [], page: nil) }
        disk.room = nil
        clock.advance(by: .seconds(1))
        #expect(log.keptThrough == log.lastRecord)
        #expect(lines(path).last?["kind"]?.string == "gap")
    }

    // MARK: Archives

    @Test func keepsAllUpToTheLastRecord_ifAnArchiveGetsAGapForIt() async throws {
        let (log, archive) = (try makeLog(waiting: .init(records: 10, bytes: 1 << 20), hasFile: false), SlowArchive())
        log.keep(in: archive)
        post(1...10, to: log)
        log.flush()
        for _ in 1...30 { log.app("noise", [], page: nil) }
        try await waitForValue { kept in
            log.onKept { if log.keptThrough == log.lastRecord { kept.yield(()) } }
            archive.allow(100)
        }
        #expect(archive.numbers == Array(1...20) + [40])
    }

    @Test func doesNotWaitForAnArchive() async throws {
        let (log, archive) = (try makeLog(hasFile: false), SlowArchive())
        log.keep(in: archive)
        post(1...20, to: log)
        log.flush()
        #expect(log.keptThrough == 0)
        #expect(log.query(limit: 100).records.map(\.number) == Array(1...20), "it finds those that wait")
        try await waitForValue { kept in
            log.onKept { kept.yield(()) }
            archive.allow(1)
        }
        #expect(log.keptThrough == 20 && archive.numbers == Array(1...20))
        #expect(log.query(limit: 100).records.map(\.number) == Array(1...20), "it finds those in the archive")
    }

    @Test func triesAgain_ifAnArchiveFails() async throws {
        let (log, archive) = (try makeLog(hasFile: false), SlowArchive())
        log.keep(in: archive)
        archive.fail(true)
        archive.allow(100)
        post(1...3, to: log)
        log.flush()
        let problem = try await log.next(TrafficFilter([.init(.reason, "logFailed")]), after: 0, timeout: .seconds(30))
        #expect(problem.json["text"]?.string == "Can't write the database: the disk is full.")
        post(5...5, to: log)
        log.flush()
        #expect(log.keptThrough == 0 && archive.numbers.isEmpty)
        archive.fail(false)
        try await waitForValue { kept in
            log.onKept { if log.keptThrough == 5 { kept.yield(()) } }
            clock.advance(by: .seconds(1))
        }
        #expect(archive.numbers == Array(1...5))
    }

    /// A log of 1,200 records, of which the archive has the first 500. The log has not learned of that.
    private func logWithAFirstBatch() throws -> (TrafficLog, SlowArchive, SteppedThread) {
        let (log, archive, thread) = (try makeLog(hasFile: false), SlowArchive(), SteppedThread())
        log.keep(in: archive, on: thread)
        archive.allow(100)
        post(1...1_200, to: log)
        log.flush()
        #expect(thread.step())
        return (log, archive, thread)
    }

    @Test func writesEachRecordOnce_ifAnArchiveFailsAfterItHasWrittenSome() throws {
        let (log, archive, thread) = try logWithAFirstBatch()
        archive.fail(true)
        #expect(!thread.step())
        // What comes before the daemon learns of the failure must not be written before the rest.
        post(1_201...1_201, to: log)
        log.flush()
        archive.fail(false)
        thread.report()
        #expect(log.keptThrough == 500)
        clock.advance(by: .seconds(1))
        while thread.step() {}
        thread.report()
        #expect(archive.numbers == Array(1...1_202) && log.keptThrough == 1_202, "1,202 is the problem")
    }

    /// The next daemon gets these messages again.
    @Test func writesNoMore_ifTheDaemonStopsWaiting() throws {
        let (log, archive, thread) = try logWithAFirstBatch()
        log.finish(before: clock.now)
        #expect(log.keptThrough == 500)
        #expect(!thread.step() && archive.numbers == Array(1...500))
        // If the daemon goes on after all, so does the log.
        log.flush()
        while thread.step() {}
        thread.report()
        #expect(archive.numbers == Array(1...1_200) && log.keptThrough == 1_200)
    }

    @Test func writesNoMore_ifTheDaemonStopsWaitingDuringAWrite() throws {
        let (log, archive, thread) = (try makeLog(hasFile: false), SlowArchive(), SteppedThread())
        log.keep(in: archive, on: thread)
        archive.allow(100)
        post(1...1_200, to: log)
        log.flush()
        archive.onAppend { [clock] in MainActor.assumeIsolated { log.finish(before: clock.now) } }
        #expect(!thread.step())
        thread.report()
        #expect(log.keptThrough == 500)
        #expect(!thread.step() && archive.numbers == Array(1...500))
    }

    // MARK: Followers

    private func follower(
        of log: TrafficLog, isCrowded: Bool = false, _ send: @escaping @MainActor (StoredRecord) -> Void
    ) -> TrafficFollower {
        TrafficFollower(
            log, Deadlines(clock: clock), TrafficFilter(), after: 0, isCrowded: { isCrowded }, send: send)
    }

    /// A log of 300 records. The archive has all, and the memory has the latest five.
    private func archivedLog() async throws -> (TrafficLog, SlowArchive) {
        let (log, archive) = (try makeLog(hasFile: false), SlowArchive())
        log.keep(in: archive)
        archive.allow(100)
        post(1...300, to: log)
        try await waitForValue { kept in
            log.onKept { if log.keptThrough == 300 { kept.yield(()) } }
            log.flush()
        }
        return (log, archive)
    }

    @Test func followerReadsTheArchive_inSeveralTurns() async throws {
        let (log, _) = try await archivedLog()
        var numbers: [Int] = []
        try await waitForValue { ended in
            follower(of: log) { numbers.append($0.number) }.sendKept { ended.yield(()) }
        }
        #expect(numbers == Array(1...300))
    }

    @Test(arguments: [
        (1_000, Int.max, 310), (300, .max, 300), (299, .max, 299), (7, .max, 7), (1_000, 1, 1), (0, .max, 0),
    ])
    func findsRecords_whileADiskIsSlow(limit: Int, bytes: Int, found: Int) async throws {
        let (log, archive) = try await archivedLog()
        archive.holdReads(true)
        let search = Task { await log.find(limit: limit, bytes: bytes) }
        if limit > 0 { try await archive.readHasBegun() }
        // The main actor goes on meanwhile, and records leave the memory.
        post(301...310, to: log)
        archive.holdReads(false)
        let (records, next, _) = await search.value
        #expect(records.map(\.number) == Array((1...310).prefix(found)))
        #expect(next == found)
    }

    @Test func waitFindsARecord_thatIsInTheArchive() async throws {
        let (log, _) = try await archivedLog()
        let record = try await log.next(match: 250, after: 0, timeout: .seconds(60))
        #expect(record.number == 250)
    }

    @Test func waitEndsInTime_ifTheSearchTakesLonger() async throws {
        let (log, archive) = try await archivedLog()
        archive.holdReads(true)
        let wait = Task { try await log.next(match: 299, after: 0, timeout: .seconds(2)) }
        try await archive.readHasBegun()
        clock.advance(by: .seconds(3))
        archive.holdReads(false)
        let error = await #expect(throws: RPCError.self) { try await wait.value }
        #expect(error?.code == .waitTimedOut && error?.message.contains("wait longer") == true)
    }

    /// However short the time, a record in memory counts.
    @Test func waitSearchesAllThatIsInMemory_withoutTime() async throws {
        let log = try TrafficLog(path: nil, kept: .none, logger: .init(label: "test"), clock: clock)
        post(1...300, to: log)
        #expect(try await log.next(match: 250, after: 0, timeout: .zero).number == 250)
        let error = await #expect(throws: RPCError.self) {
            try await log.next(match: 250, after: 250, timeout: .zero)
        }
        #expect(error?.message.contains("Record 250 fits, but came before: wait with after 249") == true)
    }

    @Test func followerSendsAGap_ifAnArchiveCannotBeRead() async throws {
        let (log, archive) = try await archivedLog()
        archive.fail(true)
        var records: [JSON] = []
        try await waitForValue { ended in
            follower(of: log) { records.append($0.json) }.sendKept { ended.yield(()) }
        }
        #expect(records.first?["kind"]?.string == "gap" && records.first?["count"]?.wholeNumber == 295)
        #expect(records.dropFirst().compactMap { $0["record"]?.wholeNumber } == Array(296...300))
    }

    /// Retention deletes what a slow reader has not read yet.
    @Test func followerSendsAGap_ifAnArchiveHasDeletedRecords() async throws {
        let (log, archive) = try await archivedLog()
        archive.delete(through: 100)
        var records: [JSON] = []
        try await waitForValue { ended in
            follower(of: log) { records.append($0.json) }.sendKept(through: 297) { ended.yield(()) }
        }
        #expect(records.first?["kind"]?.string == "gap" && records.first?["count"]?.wholeNumber == 100)
        #expect(records.dropFirst().compactMap { $0["record"]?.wholeNumber } == Array(101...297))
        // One that begins with the oldest record misses none.
        records = []
        let oldest = TrafficFollower(
            log, Deadlines(clock: clock), TrafficFilter(), after: nil, isCrowded: { false },
            send: { records.append($0.json) })
        try await waitForValue { ended in oldest.sendKept { ended.yield(()) } }
        #expect(records.compactMap { $0["record"]?.wholeNumber } == Array(101...300))
        #expect(records.allSatisfy { $0["kind"]?.string == "message" })
    }

    @Test func followerEndsWithAGap_ifItsReaderDoesNotRead() throws {
        let log = try makeLog(hasFile: false)
        post(1...100, to: log)
        var records: [JSON] = []
        let follower = follower(of: log, isCrowded: true) { records.append($0.json) }
        follower.start()
        follower.finish(before: .now + .milliseconds(20))
        #expect(records.map { $0["kind"]?.string } == ["gap", "gap"])
        #expect(records.map { $0["record"]?.wholeNumber } == [95, 100])
        #expect(records.map { $0["count"]?.wholeNumber } == [95, 5])
    }

    @Test func waitsForAnArchive_whenTheDaemonStops() throws {
        let (log, archive) = (try makeLog(hasFile: false), SlowArchive())
        log.keep(in: archive)
        archive.allow(100)
        log.waitForArchive(until: clock.now + .seconds(30))
        post(1...3, to: log)
        log.flush()
        #expect(log.keptThrough == 3)
    }

    @Test func waitsForAllRecords_whenTheDaemonStopsDuringAWrite() throws {
        let (log, archive) = (try makeLog(hasFile: false), SlowArchive())
        log.keep(in: archive)
        post(1...1, to: log)
        log.flush()
        post(2...3, to: log)
        archive.allow(100)
        log.waitForArchive(until: clock.now + .seconds(30))
        log.flush()
        #expect(log.keptThrough == 3)
    }
}

/// A thread whose calls a test runs.
@MainActor private final class SteppedThread: ArchiveThread {
    private var call: (() -> Bool)?
    private var ended: @MainActor () -> Void = {}

    func run(_ call: @escaping @Sendable () -> Bool, ended: @escaping @MainActor @Sendable () -> Void) {
        (self.call, self.ended) = (call, ended)
    }

    func wait(for time: Duration) -> Bool { call == nil }

    /// Runs the next call.
    /// - Returns: whether there is another one after it.
    func step() -> Bool {
        if call?() == false { call = nil }
        return call != nil
    }

    /// Tells the log that calls have ended.
    func report() { ended() }
}

/// An archive whose calls wait until a test allows them.
private final class SlowArchive: TrafficArchive {
    private let kept = Mutex<[StoredRecord]>([])
    private let fails = Mutex(false)
    private let gate = DispatchSemaphore(value: 0)
    /// Held while reads must wait.
    private let readGate = DispatchSemaphore(value: 1)
    private let begun = Mutex(false)
    private let duringAppend = Mutex<(@Sendable () -> Void)?>(nil)

    var numbers: [Int] { kept.withLock { $0.map(\.number) } }

    func allow(_ calls: Int) { for _ in 0..<calls { gate.signal() } }

    func readHasBegun() async throws { try await waitUntil { begun.withLock(\.self) } }

    func holdReads(_ holds: Bool) {
        if holds { readGate.wait() } else { readGate.signal() }
    }

    func fail(_ value: Bool) { fails.withLock { $0 = value } }

    /// Calls `action` during the next write.
    func onAppend(_ action: @escaping @Sendable () -> Void) { duringAppend.withLock { $0 = action } }

    func append(_ records: [StoredRecord]) throws {
        duringAppend.withLock { $0.take() }?()
        gate.wait()
        if fails.withLock(\.self) { throw Failure() }
        kept.withLock { $0 += records }
    }

    func delete(through number: Int) { kept.withLock { $0.removeAll { $0.number <= number } } }
    func oldest() -> Int? { numbers.first }
    func reopen() {}

    func query(_ filter: TrafficFilter, in numbers: Range<Int>, limit: Int, bytes: Int) throws -> [StoredRecord] {
        begun.withLock { $0 = true }
        readGate.wait()
        defer { readGate.signal() }
        if fails.withLock(\.self) { throw Failure() }
        var (found, size): ([StoredRecord], Int) = ([], 0)
        for record in kept.withLock(\.self) where numbers.contains(record.number) && filter.matches(record) {
            guard found.count < limit, size < bytes else { break }
            found.append(record)
            size += record.line.count
        }
        return found
    }

    struct Failure: Error, CustomStringConvertible {
        let description = "the disk is full"
    }
}
