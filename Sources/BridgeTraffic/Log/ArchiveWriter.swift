import BridgeProtocol
import DequeModule
import Synchronization

/// Passes records to an archive on a thread of its own, and holds them until the archive has them.
@MainActor final class ArchiveWriter: RecordKeeper {
    /// The number of records that are written at once. An acknowledgement waits for the batch under way. SQLite takes about
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
    /// The write that is under way.
    private var write: Write?
    /// When to try again; nil unless the latest write has failed.
    private var retry: Deadlines.Token?
    /// The latest failure that was reported; nil if the latest write has succeeded.
    private var reported: String?

    /// - Parameter after: the number of the last record that the archive does not get.
    init(_ archive: any TrafficArchive, on thread: any ArchiveThread, after: Int, _ context: KeeperContext) {
        self.archive = archive
        self.thread = thread
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
    }

    private func writeAll(until deadline: ContinuousClock.Instant) {
        repeat { begin() } while wait(until: deadline) && retry == nil && !waiting.isEmpty
    }

    private func begin() {
        guard write == nil, retry == nil, !waiting.isEmpty else { return }
        let write = Write(Array(waiting.prefix(ArchiveWriter.batchSize)))
        self.write = write
        thread.run { [archive] in
            write.run(archive)
        } ended: {
            self.end(write)
        }
    }

    /// Waits for the write that is under way.
    /// - Returns: whether it has ended.
    @discardableResult private func wait(until deadline: ContinuousClock.Instant) -> Bool {
        guard let write else { return true }
        guard thread.wait(for: deadline - context.deadlines.now) else { return false }
        end(write)
        return true
    }

    private func end(_ write: Write) {
        guard write === self.write, let result = write.result else { return }
        self.write = nil
        switch result {
        case .success: succeeded(write.records)
        case .failure(let error): failed(error)
        }
    }

    private func succeeded(_ records: [StoredRecord]) {
        waiting.removeFirst(records.count)
        for record in records { waitingBytes -= record.line.count }
        keptThrough = records.last?.number ?? keptThrough
        if waiting.isEmpty, let gap = backlog.takeGap() { add(gap) }
        if reported != nil { context.notice("The database is written again. It gets every record that waited.") }
        reported = nil
        context.onKept()
        begin()
    }

    private func failed(_ error: any Error) {
        let text = sentence("Can't write the database: \(error)")
        if text != reported {
            reported = text
            context.report(text, context.hint("Free some space, or end what locks the file."))
        }
        retry = context.deadlines.schedule(after: KeeperContext.retryInterval) { [weak self] in
            self?.retry = nil
            self?.begin()
        }
    }
}

extension ArchiveWriter {
    /// One call of the archive.
    fileprivate final class Write: Sendable {
        let records: [StoredRecord]
        private let outcome = Mutex<Result<Void, any Error>?>(nil)

        init(_ records: [StoredRecord]) { self.records = records }

        var result: Result<Void, any Error>? { outcome.withLock(\.self) }

        func run(_ archive: any TrafficArchive) {
            let result = Result { try archive.append(records) }
            outcome.withLock { $0 = result }
        }
    }
}
