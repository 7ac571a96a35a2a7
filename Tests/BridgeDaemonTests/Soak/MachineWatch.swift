import Foundation
import Synchronization
import TestSupport

/// Notes when the machine itself is slow: how late a thread is woken that only sleeps, and how long a short write takes to
/// a file beside the log. Without it nobody can say whether the daemon or the machine has made a message wait.
final class MachineWatch: Sendable {
    /// Shorter delays are not noted, in milliseconds.
    private static let shortest = 10.0
    private static let pause = Duration.milliseconds(5)

    private let wakeUps = Mutex<[Delay]>([])
    private let writes = Mutex<[Delay]>([])
    private let isOver = Atomic(false)

    /// - Parameter file: is made, and gets up to 20 KB a second.
    init(file: String) throws {
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
    }

    func stop() { isOver.store(true, ordering: .relaxed) }

    /// Says how slow the machine was at its worst during a delay.
    func describe(during delay: Delay) -> String {
        let (late, write) = (longest(wakeUps, during: delay), longest(writes, during: delay))
        return "a sleeping thread was woken \(late) ms late, and a write of 100 bytes took \(write) ms"
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
