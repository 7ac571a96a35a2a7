import Foundation
import Synchronization
import TestSupport

/// One thread for each hostile client.
final class HostileCrowd: Sendable {
    private let state = Mutex((isOver: false, running: 0, attacks: [String: Int]()))
    private let finished = DispatchSemaphore(value: 0)

    private let names: [String]?
    /// `SCHED_IDLE` of sched(7), which Swift does not import.
    private static let idlePolicy: Int32 = 5

    /// Starts the clients with these names, or all.
    init(_ names: [String]?, port: UInt16, seed: UInt64) {
        self.names = names
        for (index, kind) in HostileClient.allCases.enumerated() {
            let target = HostileTarget(port: port, seed: seed &+ UInt64(index)) { [self] in isOver }
            run(kind.rawValue) { [self] _ in
                while !isOver {
                    kind.attack(target)
                    count(kind.rawValue)
                }
            }
        }
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    /// Counts an attack.
    func count(_ name: String) { state.withLock { $0.attacks[name, default: 0] += 1 } }

    /// How often each client has attacked, by its name.
    var attacks: [(name: String, count: Int)] {
        state.withLock { $0.attacks }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Runs something on a thread until the test ends, if its name is selected.
    func run(_ name: String, _ body: @escaping @Sendable (@escaping @Sendable () -> Bool) -> Void) {
        guard names?.contains(name) != false else { return }
        state.withLock { $0.running += 1 }
        let thread = Thread { [self] in
            // Clients elsewhere would not take the daemon's processor. On Linux this is about the calling thread alone, and
            // the processes that it starts. A lower priority alone is not enough: the thread would still have a processor
            // for 4 ms at a time while the daemon's wait. They attack as often as without this.
            #if os(Linux)
                var priority = sched_param(sched_priority: 0)
                sched_setscheduler(0, HostileCrowd.idlePolicy, &priority)
            #endif
            body { [self] in isOver }
            finished.signal()
        }
        thread.name = name
        thread.start()
    }

    /// Tells all clients to end.
    func stop() { state.withLock { $0.isOver = true } }

    /// Tells all clients to end, and waits until they have.
    func end() async throws {
        stop()
        let running = state.withLock { $0.running }
        try await offThread { [finished] in for _ in 0..<running { finished.wait() } }
    }
}

/// Waits, but not beyond the end of the test. Blocks the thread.
func wait(_ seconds: Double, _ stop: () -> Bool) {
    let end = Date(timeIntervalSinceNow: seconds)
    while !stop(), Date() < end { usleep(20_000) }
}
