import Synchronization

/// Counts the bytes that clients make the daemon hold.
///
/// Connections count messages and bodies that have not arrived completely, and what waits until a client reads it. If
/// that is too much, connections are closed. Replies, calls and other things that outlive a connection are also counted
/// in a ``MemoryShare``, which refuses more than its part.
final class MemoryBudget: Sendable {
    let limit: Int
    private let held = Atomic(0)
    private let isBeingRelieved = Atomic(false)
    private let relieve = Mutex<(@MainActor @Sendable () -> Void)?>(nil)

    init(limit: Int) { self.limit = limit }

    var bytes: Int { held.load(ordering: .relaxed) }

    /// Calls `relieve` soon after the limit is exceeded, to close connections.
    func onExceeded(_ relieve: @escaping @MainActor @Sendable () -> Void) { self.relieve.withLock { $0 = relieve } }

    /// Adds bytes that are now held for a client, or subtracts with a negative number. May be called on any thread.
    func count(_ bytes: Int) {
        guard add(bytes) else { return }
        // Connections are closed later, because the caller may be using one of them.
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

/// The part of the budget that one kind of memory may take, such as the replies to pages.
package final class MemoryShare: Sendable {
    package let limit: Int
    private let budget: MemoryBudget
    private let held = Atomic(0)

    init(limit: Int, of budget: MemoryBudget) {
        self.limit = limit
        self.budget = budget
    }

    package var bytes: Int { held.load(ordering: .relaxed) }

    /// Counts bytes that are needed now.
    /// - Returns: false if there is no room for them. Then they must not be stored.
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

/// The budget, and its shares for what is not part of a connection. Connections have the rest.
struct ClientMemory: Sendable {
    let budget: MemoryBudget
    /// Replies that handlers owe to pages, and replies that pages may ask for again.
    let replies: MemoryShare
    /// Evaluations without a result, and the answers to calls of a `POST /rpc` that is not answered yet.
    let calls: MemoryShare
    /// Messages that the components of an app have received.
    let components: MemoryShare
    /// Requests that wait for the resolver or for Redis.
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
    /// Adds bytes that are now held for a client, or subtracts with a negative number. May be called on any thread.
    func count(_ bytes: Int) { memory.count(bytes) }
}

extension WebSocketContext {
    /// If the connections together hold more than `--max-memory-bytes`, closes those that have held the most for the
    /// longest time. A page that is closed attaches again and resumes.
    func relieveMemory() {
        let memory = loop.memory
        var excess = memory.bytes - memory.limit
        guard excess > 0 else { return }
        // Frees a little more, so that the next piece of a message finds room.
        excess += memory.limit / 16
        let now = ContinuousClock.now
        var holders: [(connection: Connection, weight: Double)] = []
        for connection in connections.all where connection.heldBytes > 0 {
            if connection.isClosing {
                excess -= connection.heldBytes
            } else {
                // A second is added, because what waits in an outbox has no age.
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
