import Synchronization

/// Counts the bytes that clients make the daemon hold: messages and bodies that have not arrived completely, and what
/// waits until a client reads it.
final class MemoryBudget: Sendable {
    let limit: Int
    private let held = Atomic(0)
    private let isBeingRelieved = Atomic(false)

    init(limit: Int) { self.limit = limit }

    var bytes: Int { held.load(ordering: .relaxed) }

    /// Adds bytes that are now held, or subtracts with a negative number.
    /// - Returns: whether the caller must arrange that connections are closed, and then call `relieved`.
    func add(_ bytes: Int) -> Bool {
        let isExceeded = held.wrappingAdd(bytes, ordering: .relaxed).newValue > limit
        return isExceeded && !isBeingRelieved.exchange(true, ordering: .relaxed)
    }

    func relieved() { isBeingRelieved.store(false, ordering: .relaxed) }
}

extension EventLoop {
    /// Counts bytes that are now held for a client, or with a negative number, no longer. May be called on any thread.
    func count(_ bytes: Int) {
        guard memory.add(bytes) else { return }
        // Connections are closed later, because the caller is in the middle of something.
        Task { @MainActor in
            self.perform { context in
                context.loop.memory.relieved()
                context.relieveMemory()
            }
        }
    }
}

extension WebSocketContext {
    /// If the connections together hold more than `--max-memory-bytes`, closes those that have held the most for the
    /// longest time. A page that is closed attaches again and resumes.
    func relieveMemory() {
        let memory = loop.memory
        var excess = memory.bytes - memory.limit
        guard excess > 0 else { return }
        // Frees a little more, so that not every piece of a message leads here.
        excess += memory.limit / 16
        let now = ContinuousClock.now
        var holders: [(connection: Connection, weight: Double)] = []
        for connection in connections.all where connection.heldBytes > 0 {
            if connection.isClosing {
                excess -= connection.heldBytes
            } else {
                // A second more, because what waits in an outbox has no age.
                let age = connection.heldSince.map { (now - $0).seconds } ?? 0
                holders.append((connection, Double(connection.heldBytes) * (age + 1)))
            }
        }
        holders.sort { ($1.weight, $0.connection.id) < ($0.weight, $1.connection.id) }
        for (connection, _) in holders where excess > 0 {
            excess -= connection.heldBytes
            connection.closeToFreeMemory()
        }
    }
}
