import BridgeProtocol

/// Writes records to the log file. If that fails, it tries again each second, and sooner if the file is a full pipe.
@MainActor final class LogWriter: RecordKeeper {
    private static let pipeInterval = Duration.milliseconds(20)
    /// The number of attempts after which a full pipe is reported. They take a second.
    private static let pipeAttempts = 50

    private let file: LogFile
    private let context: KeeperContext
    private let backlog: Backlog
    // Unchecked for overlapping accesses: each only reads or replaces a number.
    @exclusivity(unchecked) private(set) var keptThrough = 0
    @exclusivity(unchecked) private var appended = 0
    /// When to try again; nil unless the latest write has failed.
    private var retry: Deadlines.Token?
    private var failures = 0
    private var isReported = false
    private var isWatching = false

    init(path: String, _ disk: any Disk, _ context: KeeperContext) throws(LogFileError) {
        file = try LogFile(path: path, disk: disk)
        self.context = context
        backlog = Backlog(limits: context.limits)
    }

    private var waiting: Int { appended - keptThrough }

    let name = "the log"
    let remedy = "put the log on a faster disk"
    var waitingCount: Int { waiting }
    var isFull: Bool { backlog.isFull(records: waiting, bytes: file.waitingBytes) }
    var isFailing: Bool { isReported }

    func isFull(withMore more: RecordCount) -> Bool {
        backlog.isFull(records: waiting + more.records, bytes: file.waitingBytes + more.bytes)
    }

    func append(_ record: StoredRecord) {
        guard backlog.admits(record, records: waiting, bytes: file.waitingBytes) else { return }
        if let gap = backlog.takeGap() { file.append(gap.line) }
        file.append(record.line)
        appended = record.number
    }

    func flush() {
        if retry == nil, waiting > 0 { write() }
    }

    func reopen() {
        context.deadlines.cancel(retry.take())
        do throws(LogFileError) { try file.reopen() } catch {
            context.report(
                error.reason,
                "Make it writable, and send SIGHUP again. The daemon goes on with the old file unless it was deleted.")
        }
        write()
        context.onKept()
    }

    func finish(before deadline: ContinuousClock.Instant) {
        context.deadlines.cancel(retry.take())
        write()
    }

    private func write() {
        do throws(LogFileError) {
            try flushFile()
            // Now there is room to say what was left out. An acknowledgement may wait for the last of those records.
            if let gap = backlog.takeGap() {
                file.append(gap.line)
                appended = gap.number
                try flushFile()
            }
        } catch {
            return tryLater(error)
        }
        keptThrough = appended
        if isReported { context.notice("The log is written again. It has every record that waited.") }
        isReported = false
        failures = 0
        watch()
    }

    private func flushFile() throws(LogFileError) {
        do throws(LogFileError) { try file.flush() } catch { try writeToNewFile(after: error) }
    }

    /// Goes on in a new file if the old one was deleted, or was moved away and cannot be written.
    /// - Throws: `LogFileError` if the file is still there, or if the new file cannot be written either.
    private func writeToNewFile(after error: LogFileError) throws(LogFileError) {
        if error.cause == .deleted {
            // `flush` below opens it.
            context.report(error.reason, "The daemon goes on in a new file of that name.")
        } else {
            guard file.isMoved else { throw error }
            try file.reopen()
            context.report("The log was moved.", "The daemon goes on in a new file of that name.")
        }
        try file.flush()
    }

    private func tryLater(_ error: LogFileError) {
        failures += 1
        let interval = error.isPipeFull ? LogWriter.pipeInterval : KeeperContext.retryInterval
        retry = context.deadlines.schedule(after: interval) { [weak self] in self?.tryAgain() }
        if !error.isPipeFull || failures > LogWriter.pipeAttempts { reportOnce(error) }
    }

    private func tryAgain() {
        retry = nil
        write()
        context.onKept()
    }

    private func reportOnce(_ error: LogFileError) {
        guard !isReported else { return }
        isReported = true
        let remedy = error.isPipeFull ? "Read it." : "Free some space, or make it writable."
        context.report(error.reason, context.hint(remedy))
    }

    /// Checks, a second after a write, whether another file has taken the place of this one. (Each write itself finds
    /// out whether the file was deleted.)
    private func watch() {
        guard !isWatching else { return }
        isWatching = true
        context.deadlines.schedule(after: KeeperContext.retryInterval) { [weak self] in
            guard let self else { return }
            isWatching = false
            guard file.isReplaced else { return }
            context.report("The log was moved, and another file has its name.", "The daemon goes on in that file.")
            reopen()
        }
    }
}
