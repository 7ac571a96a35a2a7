import Foundation
import Synchronization
import TestSupport

/// Notes when the machine itself is slow: how late a thread is woken that only sleeps, how long a short write takes to a file
/// beside the log, how long threads of the daemon could run, but got no processor, and how long a virtual machine's host has
/// let its processors wait. Without it nobody can say whether the daemon or the machine has made a message wait.
final class MachineWatch: Sendable {
    /// Shorter delays are not noted, in milliseconds.
    private static let shortest = 10.0
    private static let pause = Duration.milliseconds(5)

    private let wakeUps = Mutex<[Delay]>([])
    private let writes = Mutex<[Delay]>([])
    private let queues = Mutex<[ProcessorWait]>([])
    private let stolen = Mutex<[ProcessorWait]>([])
    private let threads: [WaitClock]
    private let host = WaitClock.host()
    private let isOver = Atomic(false)

    /// - Parameters:
    ///   - file: is made, and gets up to 20 KB a second.
    ///   - daemon: the process id of the daemon. Threads that it starts later are not watched.
    init(file: String, daemon: Int) throws {
        threads = WaitClock.threads(of: daemon)
        try Data().write(to: URL(fileURLWithPath: file))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        repeatedly {
            let due = ContinuousClock.now + Self.pause
            Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
            self.note(Delay(since: due), in: self.wakeUps)
        }
        repeatedly {
            let start = ContinuousClock.now
            try? handle.write(contentsOf: Data(count: 100))
            self.note(Delay(since: start), in: self.writes)
            Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
        }
        repeatedly {
            for thread in self.threads {
                guard let wait = thread.takeWait() else { continue }
                self.queues.withLock { $0.append(wait) }
            }
            if let wait = self.host?.takeWait() { self.stolen.withLock { $0.append(wait) } }
            Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
        }
    }

    func stop() { isOver.store(true, ordering: .relaxed) }

    /// Says how slow the machine was at its worst during a delay.
    func describe(during delay: Delay) -> String {
        let (late, write) = (longest(wakeUps, during: delay), longest(writes, during: delay))
        return "a sleeping thread was woken \(late) ms late, a write of 100 bytes took \(write) ms, "
            + "\(starved(during: delay)), and the machine's host let its processors wait \(stolen(during: delay))"
    }

    /// Says how long all processors together waited for a virtual machine's host during a delay.
    private func stolen(during delay: Delay) -> String {
        guard host != nil else { return "nobody knows how long (no /proc)" }
        let sum = waits(stolen, during: delay).reduce(0) { $0 + $1.milliseconds }
        return sum == 0 ? "less than 10 ms" : "\(Int(sum.rounded())) ms"
    }

    /// The waits that were noticed during a delay, or at the next look, which is a pause or a little more after it.
    private func waits(_ waits: borrowing Mutex<[ProcessorWait]>, during delay: Delay) -> [ProcessorWait] {
        waits.withLock { $0.filter { $0.end > delay.start && $0.end < delay.end + Self.pause * 2 } }
    }

    /// Says for how long the daemon's threads could run during a delay, but had no processor.
    private func starved(during delay: Delay) -> String {
        guard !threads.isEmpty else { return "nobody knows how long the daemon waited for a processor (no /proc)" }
        let waits = waits(queues, during: delay)
        let sums = waits.reduce(into: [String: Double]()) { $0[$1.name, default: 0] += $1.milliseconds }
        let longest = sums.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3)
        guard !longest.isEmpty else { return "no thread of the daemon waited for a processor" }
        return longest.map { "\($0.key) waited \(Int($0.value.rounded())) ms" }.joined(separator: ", ")
            + " for a processor"
    }

    private func longest(_ delays: borrowing Mutex<[Delay]>, during delay: Delay) -> String {
        let found = delays.withLock { $0.filter { $0.start < delay.end && $0.end > delay.start }.max() }
        return found.map { String(format: "%.0f", $0.milliseconds) } ?? "less than \(Int(Self.shortest))"
    }

    private func note(_ delay: Delay, in delays: borrowing Mutex<[Delay]>) {
        if delay.milliseconds >= Self.shortest { delays.withLock { $0.append(delay) } }
    }

    private func repeatedly(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .relaxed) { body() }
        }
    }
}

/// How long a thread could run, but had no processor, or how long processors waited for their host.
private struct ProcessorWait {
    let name: String
    /// The moment when this was noticed.
    let end: ContinuousClock.Instant
    let milliseconds: Double
}

/// Reads how long something has waited since it began: a number in the first line of a file in `/proc`.
private final class WaitClock: Sendable {
    /// Shorter waits are not noted, in milliseconds.
    private static let shortest = 1.0

    private let name: String
    private let file: Int32
    private let column: Int
    private let millisecondsPerUnit: Double
    private let last = Mutex(0.0)

    /// The threads that a process has at the moment, from `/proc/PID/task/TID/schedstat` (Linux, "Scheduler Statistics"):
    /// its second number, in nanoseconds. None if their waits cannot be read, as where there is no `/proc`.
    static func threads(of process: Int) -> [WaitClock] {
        let folder = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.compactMap(Int.init).sorted().compactMap { thread in
            let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)
            return WaitClock(
                "\(name?.dropLast() ?? "thread") \(thread)", "\(folder)/\(thread)/schedstat", column: 1, unit: 1e-6)
        }
    }

    /// The host of a virtual machine: `steal` in `/proc/stat` (proc(5)), in clock ticks. Nil where there is no `/proc`.
    static func host() -> WaitClock? {
        WaitClock("host", "/proc/stat", column: 8, unit: 1_000 / Double(sysconf(Int32(_SC_CLK_TCK))))
    }

    /// - Parameters:
    ///   - column: the number's place among the words of the line, from 0.
    ///   - unit: the number's unit, in milliseconds.
    private init?(_ name: String, _ path: String, column: Int, unit: Double) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        (self.name, self.file, self.column, millisecondsPerUnit) = (name, file, column, unit)
        _ = takeWait()
    }

    deinit { close(file) }

    /// What has been waited since the last call, if that is a millisecond or more.
    func takeWait() -> ProcessorWait? {
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let words = bytes.prefix(count).split(separator: UInt8(ascii: " "), maxSplits: column + 1)
        guard column < words.count else { return nil }
        let now = (Double(String(decoding: words[column], as: UTF8.self)) ?? 0) * millisecondsPerUnit
        return last.withLock { last in
            guard now >= last + Self.shortest else { return nil }
            defer { last = now }
            return ProcessorWait(name: name, end: .now, milliseconds: now - last)
        }
    }
}
