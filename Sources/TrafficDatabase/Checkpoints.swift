import Dispatch
import GRDB
import Synchronization

/// Moves what SQLite's write-ahead log has into the database's file, on a thread and with a connection of its own.
///
/// SQLite would do it within an append, each time when the log has 1,000 pages more. That append, and the acknowledgements that
/// wait for it, would wait until the disk has everything: 10 ms as a rule, 100 ms at times (measured on 1 December 2026). A
/// passive checkpoint does not hold up appends (SQLite's "Write-Ahead Logging", "Checkpointing").
final class Checkpoints: Sendable {
    /// How many bytes of records are appended before a checkpoint begins.
    private static let interval = 16 << 20
    /// How many bytes of records are appended before one waits for a checkpoint. While pages post without any pause, there are
    /// always some records that no checkpoint has moved, so SQLite does not begin the log anew, and it grows. It keeps its size
    /// until the daemon ends, because making it smaller (`journal_size_limit`) took 200 ms within an append.
    private static let limit = 128 << 20

    private struct State {
        var isRunning = false
        /// How many bytes were appended since the latest checkpoint began, and since an append waited for one.
        var sinceBegin = 0
        var sinceWait = 0
    }

    private let queue: DatabaseQueue
    private let thread = DispatchQueue(label: "bridged.checkpoints")
    private let state = Mutex(State())

    /// - Throws: GRDB's error if the file cannot be opened.
    init(path: String, _ configuration: GRDB.Configuration) throws {
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Notes that records were appended, and begins a checkpoint if it is time. Called on the thread that appends.
    func appended(_ bytes: Int) {
        let (begins, waits) = state.withLock { state in
            state.sinceBegin += bytes
            state.sinceWait += bytes
            let waits = state.sinceWait >= Self.limit
            if waits { state.sinceWait = 0 }
            let begins = waits || (state.sinceBegin >= Self.interval && !state.isRunning)
            if begins { (state.isRunning, state.sinceBegin) = (true, 0) }
            return (begins, waits)
        }
        guard begins else { return }
        thread.async { [self] in
            // If it fails, for example because a tool has locked the file, the next one has more to do.
            _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.passive) }
            state.withLock { $0.isRunning = false }
        }
        if waits { thread.sync {} }
    }

    /// Waits for the checkpoint that runs, and closes the connection.
    func close() { thread.sync { try? queue.close() } }
}
