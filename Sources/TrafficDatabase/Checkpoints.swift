import Dispatch
import GRDB
import Synchronization

/// Moves what SQLite's write-ahead log has into the database's file, on a thread and with a connection of its own.
///
/// SQLite would do it within an append, each time when the log has 1,000 pages more. That append, and the acknowledgements that
/// wait for it, would wait until the disk has everything: 10 ms as a rule, 100 ms at times (measured on 1 December 2026). A
/// passive checkpoint does not hold up appends (SQLite's "Write-Ahead Logging", "Checkpointing").
///
/// If nothing is appended meanwhile, SQLite then begins the log anew. While pages post without any pause there is always
/// something that no checkpoint has moved, and the log grows. So an append waits at times, when little is left to move.
final class Checkpoints: Sendable {
    private let queue: DatabaseQueue
    private let thread = DispatchQueue(label: "bridged.checkpoints")
    private let schedule = Mutex(CheckpointSchedule())

    /// - Throws: GRDB's error if the file cannot be opened.
    init(path: String, _ configuration: GRDB.Configuration) throws {
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Notes that a transaction has changed records, and begins a checkpoint if it is time. Called on the thread that appends.
    /// - Parameter bytes: the size of the records.
    func appended(_ bytes: Int) {
        switch schedule.withLock({ $0.step(after: bytes + CheckpointSchedule.transaction) }) {
        case .nothing: break
        case .begin(let count):
            thread.async { [self] in
                for _ in 0..<count { checkpoint() }
                schedule.withLock { $0.ended() }
            }
        case .wait: thread.sync { checkpoint() }
        }
    }

    /// Moves everything, and empties the write-ahead log.
    func truncate() {
        // SQLite refuses a checkpoint while another one runs, so this waits for its turn.
        thread.sync { _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
    }

    /// Waits for the checkpoint that runs, and closes the connection.
    func close() { thread.sync { try? queue.close() } }

    /// If it fails, for example because a tool has locked the file, the next one has more to do.
    private func checkpoint() { _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.passive) } }
}

/// When checkpoints run, by about how many bytes transactions add to the write-ahead log.
struct CheckpointSchedule {
    enum Step: Equatable {
        case nothing
        /// So many checkpoints run beside the appends, one after the other: each has less to do than the one before.
        case begin(Int)
        /// The append waits for a checkpoint.
        case wait
    }

    /// What a transaction adds besides its records: some pages of 4 KiB, of the table and of its indexes.
    static let transaction = 6 * 4_096
    /// How many bytes are added before a checkpoint begins.
    static let interval = 16 << 20
    /// How many bytes are added before an append waits. The log may become twice as large. It keeps its size until the daemon
    /// ends, because making it smaller (`journal_size_limit`) takes 200 ms within an append.
    static let limit = 64 << 20

    /// How many checkpoints run one after the other before an append waits. After 3 it waited for 115 ms, after 5 for 1 to 4 ms
    /// (at 9 MB a second).
    static let catchUps = 5

    private var isRunning = false
    /// Whether the checkpoints before a wait have begun.
    private var isCatchingUp = false
    private var sinceBegin = 0
    private var sinceWait = 0

    mutating func step(after bytes: Int) -> Step {
        sinceBegin += bytes
        sinceWait += bytes
        guard !isRunning else { return .nothing }
        if isCatchingUp {
            (isCatchingUp, sinceBegin, sinceWait) = (false, 0, 0)
            return .wait
        }
        isCatchingUp = sinceWait >= Self.limit
        guard isCatchingUp || sinceBegin >= Self.interval else { return .nothing }
        (isRunning, sinceBegin) = (true, 0)
        return .begin(isCatchingUp ? Self.catchUps : 1)
    }

    /// The checkpoints that have begun have ended.
    mutating func ended() { isRunning = false }
}
