import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import BridgeServer
@testable import BridgeTraffic

/// What the log keeps, and to whom it passes records on.
@MainActor @Suite(.timeLimit(.minutes(4))) struct TrafficLogTests {
    private func makeLog(records: Int = 100, bytes: Int = 1 << 20) throws -> TrafficLog {
        try TrafficLog(
            path: nil, kept: RecordRing.Limits(records: records, bytes: bytes), logger: .init(label: "test"))
    }

    private func post(_ name: String, _ n: Int = 0, to log: TrafficLog) throws {
        let body = try ScriptValue(json: JSON.parse("{\"name\":\"\(name)\",\"n\":\(n)}"))
        log.append(.message(handler: "nativeApp", name: name, body: body, seq: 1, verdict: .handled), .toNative, nil)
    }

    private func match(_ text: String) throws -> ScriptValue { try ScriptValue(json: JSON.parse(text)) }

    @Test func continuesAQuery() throws {
        let log = try makeLog()
        for number in 1...10 { try post(number.isMultiple(of: 2) ? "Even" : "Odd", to: log) }
        let even = TrafficFilter([.init(.name, "Even")])
        let first = log.query(even, limit: 3)
        #expect(first.records.map(\.number) == [2, 4, 6] && first.next == 6)
        let second = log.query(even, after: first.next, limit: 3)
        #expect(second.records.map(\.number) == [8, 10] && second.next == 10)
        #expect(log.query(even, after: second.next, limit: 3).records.isEmpty)
    }

    @Test(arguments: [Int.max, .max - 1, 1 << 53, 0, -1, .min])
    func takesAnyNumberAsTheStartOfAQuery(_ after: Int) async throws {
        let log = try makeLog(records: 2)
        #expect(log.query(after: after, limit: .max).records.isEmpty)
        for number in 1...3 { try post("A", number, to: log) }
        #expect(log.query(after: after, limit: .max).records.map(\.number) == (after > 0 ? [] : [2, 3]))
        var followed: [Int] = []
        let follower = TrafficFollower(
            log, Deadlines(clock: SystemClock()), TrafficFilter(), after: after, isCrowded: { false },
            send: { followed.append($0.number) })
        follower.start()
        try post("B", to: log)
        #expect(followed == (after > 0 ? [4] : [1, 2, 3, 4]), "the gap record has the number of the last one missed")
        follower.cancel()
        let never = TrafficFilter([.init(.name, "Z")])
        await #expect(throws: RPCError.self) { try await log.next(never, after: after, timeout: .zero) }
    }

    /// A record is compared once with each condition, and only with those that name its handler, page or body.
    @Test(arguments: [true, false])
    func recordsCostLittle_ifThousandsWaitForOthers(isOneCondition: Bool) async throws {
        let log = try makeLog()
        let waits = (1...3_000).map { number in
            let name = isOneCondition ? "Other" : "Other\(number)"
            let filter = TrafficFilter([.init(.kind, "message"), .init(.name, name), .init(.handler, "nativeApp")])
            return Task { try await log.next(filter, match: 7, timeout: .seconds(60)) }
        }
        while log.waiters.count < 3_000 { await Task.yield() }
        let started = ContinuousClock.now
        for number in 1...1_000 { try post("A", number, to: log) }
        let time = ContinuousClock.now - started
        #expect(time < .seconds(2))
        for wait in waits { wait.cancel() }
        #expect(await cancelledCount(waits) == 3_000)
    }

    /// Awaits tasks away from the main actor, where each of them would have to wait for its turn among all tests.
    private nonisolated func cancelledCount<Value>(_ tasks: [Task<Value, any Error>]) async -> Int {
        var count = 0
        for task in tasks {
            if case .failure(let error) = await task.result, error is CancellationError { count += 1 }
        }
        return count
    }

    @Test func allThatWaitForARecordGetIt() async throws {
        let log = try makeLog()
        var ended: [Int] = []
        let filters = ["name:A", "kind:message -name:B", "name:A,C", "handler:nativeApp", "text:nativeApp", ""]
        let waits = try (0..<18).map { number in
            let filter = try TrafficFilter(parsing: filters[number % 6])
            let match: ScriptValue? = number.isMultiple(of: 4) ? .none : try self.match(#"{"n":7}"#)
            return Task {
                _ = try await log.next(filter, match: match, timeout: .seconds(60))
                ended.append(number)
            }
        }
        while log.waiters.count < 18 { await Task.yield() }
        try post("B", 7, to: log)
        try post("A", 6, to: log)
        try post("A", 7, to: log)
        for wait in waits { try await wait.value }
        #expect(ended.sorted() == Array(0..<18))
        #expect(log.waiters.isEmpty)
    }

    @Test func keepsTheLatestRecords_withinItsLimits() throws {
        let log = try makeLog(records: 10, bytes: 2_000)
        for number in 1...100 { try post("A", number, to: log) }
        #expect(log.ring.count == 10 && log.ring.first == 91)
        try post(String(repeating: "x", count: 1_500), to: log)
        #expect(log.ring.byteCount <= 4_000 && log.ring.count == 1, "the newest record stays, even if it is too large")
        #expect(log.query(limit: 10).records.map(\.number) == [101])
    }

    @Test func knowsWhetherAFileEndsWithItsLastWrite() throws {
        let folder = try TemporaryFolder()
        let (path, disk) = (folder.path("file"), SystemDisk())
        let (first, second) = (try disk.open(path), try disk.open(path))
        defer { for descriptor in [first, second] { disk.close(descriptor) } }
        #expect(disk.endsWithLastWrite(first) && disk.lastByte(of: first) == nil)
        _ = try Array("line".utf8).withUnsafeBytes { try disk.write($0, to: first) }
        #expect(disk.endsWithLastWrite(first) && !disk.endsWithLastWrite(second))
        #expect(disk.lastByte(of: second) == UInt8(ascii: "e") && !disk.endsWithLastWrite(second))
        _ = try Array("\n".utf8).withUnsafeBytes { try disk.write($0, to: second) }
        #expect(disk.endsWithLastWrite(second) && !disk.endsWithLastWrite(first))
        truncate(path, 0)
        #expect(!disk.endsWithLastWrite(second))
        let null = try disk.open("/dev/null")
        #expect(disk.endsWithLastWrite(null))
        disk.close(null)
    }

    @Test func beginsANewLine_ifTheFileEndsWithAnIncompleteOne() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("traffic.ndjson")
        try Data("{\"record\":1}\n{\"rec".utf8).write(to: URL(fileURLWithPath: path))
        let log = try TrafficLog(
            path: path, kept: RecordRing.Limits(records: 1, bytes: 1), logger: .init(label: "test"))
        try post("A", to: log)
        log.flush()
        let lines = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self).split(
            separator: "\n")
        #expect(lines.count == 3 && lines[1] == "{\"rec" && lines[2].hasPrefix("{\"record\":1,"))
    }

    @Test func deliversToSubscribers_untilTheyCancel() throws {
        let log = try makeLog()
        var numbers: [Int] = []
        let subscription = log.subscribe(TrafficFilter([.init(.name, "A")])) { numbers.append($0.number) }
        for name in ["A", "B", "A"] { try post(name, to: log) }
        subscription.cancel()
        try post("A", to: log)
        #expect(numbers == [1, 3])
    }

    @Test func findsRecordsFromBeforeTheWait() async throws {
        let log = try makeLog()
        for number in 1...3 { try post("A", number, to: log) }
        let record = try await log.next(match: match(#"{"n":2}"#), after: 0, timeout: .seconds(5))
        #expect(record.number == 2)
    }

    @Test func waitsForNewRecords() async throws {
        let log = try makeLog()
        try post("A", 1, to: log)
        let wait = Task {
            try await log.next(.init([.init(.name, "A")]), match: match(#"{"n":3}"#), timeout: .seconds(30))
        }
        try await waitUntil { !log.waiters.isEmpty }
        for number in 2...3 { try post("A", number, to: log) }
        let record = try await wait.value
        #expect(record.json["body"]?["n"]?.number == 3)
    }

    @Test func matchesTheWholeRecord_forOtherKinds() async throws {
        let log = try makeLog()
        log.app("actionButton", [.init("opens", "http://localhost/")], page: nil)
        let record = try await log.next(match: match(#"{"event":"actionButton"}"#), after: 0, timeout: .seconds(5))
        #expect(record.facets.kind == .app)
    }

    @Test func namesTheFilter_whenAWaitTimesOut() async throws {
        let log = try makeLog()
        try post("A", to: log)
        let filter = TrafficFilter([.init(.name, "A")])
        let error = await #expect(throws: RPCError.self) { try await log.next(filter, timeout: .milliseconds(20)) }
        #expect(error?.code == .waitTimedOut)
        #expect(
            error?.message == "No record came within 20 ms that fits name:A. Record 1 fits, but came before: "
                + "wait with after 0 to count it.")
    }

    @Test func endsAWait_whenItsTaskIsCancelled() async throws {
        let log = try makeLog()
        let task = Task { try await log.next(timeout: .seconds(60)) }
        try await waitUntil { !log.waiters.isEmpty }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// 50 tasks wait, each for another record, and the ring stays within its limits. If BRIDGED_FIGURES is set, there
    /// are 100,000 records instead of 5,000, and the test prints how long they took; build it for release then.
    @Test func endsEveryWaitWithItsRecord() async throws {
        let prints = ProcessInfo.processInfo.environment["BRIDGED_FIGURES"] != nil
        let count = prints ? 100_000 : 5_000
        let log = try makeLog(records: 1_000, bytes: 1 << 20)
        let numbers = (1...50).map { $0 * count / 50 }
        let waiters = numbers.map { number in
            let filter = TrafficFilter([.init(.name, "A\(number)")])
            return Task { try await log.next(filter, timeout: .seconds(50)).number }
        }
        try await waitUntil { log.waiters.count == numbers.count }
        let started = ContinuousClock.now
        var largest = 0
        for number in 1...count {
            try post("A\(number)", number, to: log)
            largest = max(largest, log.ring.byteCount)
            if number.isMultiple(of: 200) { await Task.yield() }
        }
        let duration = ContinuousClock.now - started
        for (number, waiter) in zip(numbers, waiters) {
            let found = try await waiter.value
            #expect(found == number)
        }
        #expect(largest <= 1 << 20 && log.ring.count <= 1_000)
        if prints { print("\(count) records, 50 waiters: \(duration), ring of \(largest) bytes at most") }
    }
}
