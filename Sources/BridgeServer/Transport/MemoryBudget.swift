import Synchronization

/// Counts the bytes that clients make the daemon hold.
///
/// Connections count messages and bodies that have not arrived completely, and what waits until a client reads it. If
/// that is too much, connections are closed. What is kept beside the connections is counted in a ``MemoryShare``, too,
/// which refuses what is too much.
final class MemoryBudget: Sendable {
    let limit: Int
    private let held = Atomic(0)
    private let isBeingRelieved = Atomic(false)
    private let relieve = Mutex<(@MainActor @Sendable () -> Void)?>(nil)

    init(limit: Int) { self.limit = limit }

    var bytes: Int { held.load(ordering: .relaxed) }

    /// Calls `relieve` soon after the limit is exceeded, to close connections.
    func onExceeded(_ relieve: @escaping @MainActor @Sendable () -> Void) { self.relieve.withLock { $0 = relieve } }

    /// Counts bytes that are now held for a client, or with a negative number, no longer. May be called on any thread.
    func count(_ bytes: Int) {
        guard add(bytes) else { return }
        // Connections are closed later, because the caller is in the middle of something.
        Task { @MainActor in
            relieved()
            relieve.withLock(\.self)?()
        }
    }

    /// Adds bytes that are now held, or subtracts with a negative number.
    /// - Returns: whether the caller must arrange that connections are closed, and then call `relieved`.
    func add(_ bytes: Int) -> Bool {
        let isExceeded = held.wrappingAdd(bytes, ordering: .relaxed).newValue > limit
        return isExceeded && !isBeingRelieved.exchange(true, ordering: .relaxed)
    }

    func relieved() { isBeingRelieved.store(false, ordering: .relaxed) }
}

/// The part of the budget that one kind of things may take which the daemon keeps for clients.
package final class MemoryShare: Sendable {
    package let limit: Int
    private let budget: MemoryBudget
    private let held = Atomic(0)

    init(limit: Int, of budget: MemoryBudget) {
        self.limit = limit
        self.budget = budget
    }

    package var bytes: Int { held.load(ordering: .relaxed) }

    /// Counts bytes that are now kept.
    /// - Returns: false if there is no room for them. Then they must not be kept.
    package func take(_ bytes: Int) -> Bool {
        guard held.wrappingAdd(bytes, ordering: .relaxed).newValue <= limit else {
            held.wrappingSubtract(bytes, ordering: .relaxed)
            return false
        }
        budget.count(bytes)
        return true
    }

    package func release(_ bytes: Int) {
        guard bytes != 0 else { return }
        held.wrappingSubtract(bytes, ordering: .relaxed)
        budget.count(-bytes)
    }
}

/// The budget, and what the daemon may keep of it beside its connections, which have the rest.
struct ClientMemory: Sendable {
    let budget: MemoryBudget
    /// Replies that handlers owe to pages, and replies that pages may ask for again.
    let replies: MemoryShare
    /// Evaluations without a result, and the answers to calls of a `POST /rpc` that is not answered yet.
    let calls: MemoryShare
    /// What the components of an app keep of the messages that they received.
    let components: MemoryShare
    /// Requests that wait until the daemon knows whether, or by which daemon, they are handled.
    let requests: MemoryShare

    init(limit: Int) {
        budget = MemoryBudget(limit: limit)
        replies = MemoryShare(limit: limit / 4, of: budget)
        calls = MemoryShare(limit: limit / 4, of: budget)
        components = MemoryShare(limit: limit / 8, of: budget)
        requests = MemoryShare(limit: limit / 4, of: budget)
    }
}

extension EventLoop {
    /// Counts bytes that are now held for a client, or with a negative number, no longer. May be called on any thread.
    func count(_ bytes: Int) { memory.count(bytes) }
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
