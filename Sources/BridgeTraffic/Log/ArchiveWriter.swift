import BridgeProtocol
import DequeModule
import Synchronization

/// Passes records to an archive on a thread of its own, and holds them until the archive has them.
@MainActor final class ArchiveWriter: RecordKeeper {
    /// The number of records that are written at once. An acknowledgement waits for the batches before it. SQLite takes about
    /// 30 µs for a record, so 500 take 15 ms.
    private static let batchSize = 500
    /// If more records than this wait, a flush waits for the archive, so that the daemon does not read faster than the
    /// archive writes.
    private static let throttleThreshold = 10_000
    private static let throttleWait = Duration.milliseconds(10)

    let archive: any TrafficArchive
    private let context: KeeperContext
    private let thread: any ArchiveThread
    private let backlog: Backlog
    private(set) var keptThrough: Int
    /// The records that the archive does not have yet, oldest first.
    private(set) var waiting: Deque<StoredRecord> = []
    private var waitingBytes = 0
    /// How many of them the thread has been given.
    private var givenCount = 0
    private let writes: Writes
    /// Whether nothing more is written unless the daemon goes on after all.
    private var isFinished = false
    /// When to try again; nil unless the latest write has failed.
    private var retry: Deadlines.Token?
    /// The latest failure that was reported; nil if the latest write has succeeded.
    private var reported: String?

    /// - Parameter after: the number of the last record that the archive does not get.
    init(_ archive: any TrafficArchive, on thread: any ArchiveThread, after: Int, _ context: KeeperContext) {
        self.archive = archive
        self.thread = thread
        writes = Writes(archive, batchSize: ArchiveWriter.batchSize)
        self.context = context
        keptThrough = after
        backlog = Backlog(limits: context.limits)
    }

    let name = "the database"
    let remedy = "put the database on a faster disk"
    var waitingCount: Int { waiting.count }
    var isFull: Bool { backlog.isFull(records: waiting.count, bytes: waitingBytes) }
    var isFailing: Bool { reported != nil }

    func isFull(withMore more: RecordCount) -> Bool {
        backlog.isFull(records: waiting.count + more.records, bytes: waitingBytes + more.bytes)
    }

    func append(_ record: StoredRecord) {
        guard backlog.admits(record, records: waiting.count, bytes: waitingBytes) else { return }
        if let gap = backlog.takeGap() { add(gap) }
        add(record)
    }

    private func add(_ record: StoredRecord) {
        waiting.append(record)
        waitingBytes += record.line.count
    }

    func flush() {
        isFinished = false
        begin()
        if let end = context.flushDeadline {
            writeAll(until: end)
        } else if waiting.count > ArchiveWriter.throttleThreshold {
            wait(until: context.deadlines.now + ArchiveWriter.throttleWait)
        }
    }

    func reopen() {
        context.deadlines.cancel(retry.take())
        archive.reopen()
        begin()
    }

    func finish(before deadline: ContinuousClock.Instant) {
        context.deadlines.cancel(retry.take())
        writeAll(until: deadline)
        // The messages of the records that still wait are not acknowledged. If the thread wrote these nevertheless, they
        // would be there twice later.
        isFinished = true
        let (number, left) = writes.takeBack()
        if let number { remove(through: number) }
        givenCount = left
        guard waiting.isEmpty else { return }
        thread.run(
            { [archive] in
                archive.consolidate()
                return false
            }, ended: { self.learn() })
        guard !thread.wait(for: deadline - context.deadlines.now) else { return }
        context.notice("The latest records are in the file beside the database, whose name ends in -wal: copy both.")
    }

    private func writeAll(until deadline: ContinuousClock.Instant) {
        repeat { begin() } while wait(until: deadline) && retry == nil && !waiting.isEmpty
    }

    /// Gives the thread the records that it does not have yet.
    private func begin() {
        guard retry == nil, !isFinished, givenCount < waiting.count else { return }
        let mustRun = writes.add(waiting[givenCount...])
        givenCount = waiting.count
        if mustRun { thread.run(writes.writeBatch) { self.learn() } }
    }

    /// Waits for the records that the thread has.
    /// - Returns: whether they are written, or one of them could not be.
    @discardableResult private func wait(until deadline: ContinuousClock.Instant) -> Bool {
        let hasEnded = thread.wait(for: deadline - context.deadlines.now)
        learn()
        return hasEnded
    }

    /// Takes over what the thread has done since the last time.
    private func learn() {
        let (number, error) = writes.takeOutcome()
        if let number { remove(through: number) }
        // Before anything else is given to the thread: it has dropped what comes after the failure.
        if let error { failed(error) }
        if number != nil { context.onKept() }
        begin()
    }

    /// Forgets the records that the archive has.
    private func remove(through number: Int) {
        while let record = waiting.first, record.number <= number {
            waiting.removeFirst()
            waitingBytes -= record.line.count
            givenCount -= 1
        }
        keptThrough = number
        if waiting.isEmpty, let gap = backlog.takeGap() { add(gap) }
        if reported != nil { context.notice("The database is written again. It gets every record that waited.") }
        reported = nil
    }

    private func failed(_ error: any Error) {
        givenCount = 0
        retry = context.deadlines.schedule(after: KeeperContext.retryInterval) { [weak self] in
            self?.retry = nil
            self?.begin()
        }
        let text = sentence("Can't write the database: \(error)")
        guard text != reported else { return }
        reported = text
        context.report(text, context.hint("Free some space, or end what locks the file."))
    }
}

extension ArchiveWriter {
    /// The records that the thread is to write, and what has become of them. The thread goes on to the next batch by itself,
    /// because the main actor may be busy for some time before it learns of the last one.
    fileprivate final class Writes: Sendable {
        private struct State {
            var records: Deque<StoredRecord> = []
            /// How many of them are in the batch that is being written.
            var batchCount = 0
            /// Whether the thread writes, or will.
            var isRunning = false
            /// The number of the last record that was written since the outcome was taken.
            var writtenThrough: Int?
            var failure: (any Error)?
        }

        private let archive: any TrafficArchive
        private let batchSize: Int
        private let state = Mutex(State())

        init(_ archive: any TrafficArchive, batchSize: Int) { (self.archive, self.batchSize) = (archive, batchSize) }

        /// Adds records to write.
        /// - Returns: whether the thread must be started.
        func add(_ records: Deque<StoredRecord>.SubSequence) -> Bool {
            state.withLock { state in
                // The main actor gives all records again when it learns of the failure.
                guard state.failure == nil else { return false }
                state.records.append(contentsOf: records)
                defer { state.isRunning = true }
                return !state.isRunning
            }
        }

        /// Writes the next records. Called on the thread.
        /// - Returns: whether there are more.
        @Sendable func writeBatch() -> Bool {
            let records = state.withLock { state in
                state.batchCount = min(batchSize, state.records.count)
                return Array(state.records.prefix(state.batchCount))
            }
            let result = Result { try archive.append(records) }
            return state.withLock { state in
                switch result {
                case .success:
                    state.records.removeFirst(records.count)
                    state.writtenThrough = records.last?.number
                case .failure(let error):
                    state.records = []
                    state.failure = error
                }
                state.batchCount = 0
                state.isRunning = !state.records.isEmpty
                return state.isRunning
            }
        }

        /// Takes back the records that the thread has not begun to write.
        /// - Returns: the outcome so far, and how many records are being written.
        func takeBack() -> (writtenThrough: Int?, left: Int) {
            state.withLock { state in
                state.records.removeLast(state.records.count - state.batchCount)
                return (state.writtenThrough.take(), state.records.count)
            }
        }

        func takeOutcome() -> (writtenThrough: Int?, failure: (any Error)?) {
            state.withLock { state in (state.writtenThrough.take(), state.failure.take()) }
        }
    }
}
