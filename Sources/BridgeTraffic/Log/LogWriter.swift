import BridgeProtocol

/// Writes records to the log file. If that fails, it tries again: each second, and for a pipe that is full, sooner.
@MainActor final class LogWriter: RecordKeeper {
    private static let pipeInterval = Duration.milliseconds(20)

    private let file: LogFile
    private let keeping: Keeping
    private var backlog: Backlog
    private(set) var keptThrough = 0
    private var appended = 0
    /// When to try again; nil unless the latest write has failed.
    private var retry: Deadlines.Token?
    private var failures = 0
    private var isReported = false
    private var isWatching = false

    init(path: String, _ disk: any Disk, _ keeping: Keeping) throws(LogFileError) {
        file = try LogFile(path: path, disk: disk)
        self.keeping = keeping
        backlog = Backlog(limits: keeping.limits)
    }

    private var waiting: Int { appended - keptThrough }

    var isFull: Bool { backlog.isFull(records: waiting, bytes: file.waitingBytes) }

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
        keeping.deadlines.cancel(retry.take())
        do throws(LogFileError) { try file.reopen() } catch {
            keeping.report(
                error.reason,
                "Make it writable, and send SIGHUP again. The daemon goes on with the old file unless it was deleted.")
        }
        write()
        keeping.kept()
    }

    func finish(before deadline: ContinuousClock.Instant) {
        keeping.deadlines.cancel(retry.take())
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
        if isReported { keeping.notice("The log is written again. It has every record that waited.") }
        isReported = false
        failures = 0
        watch()
    }

    private func flushFile() throws(LogFileError) {
        do throws(LogFileError) { try file.flush() } catch { try writeToNewFile(after: error) }
    }

    /// Goes on in a new file if the old one was deleted, or was moved away and cannot be written.
    /// - Throws: `LogFileError` if neither is so, or the new file cannot be written either.
    private func writeToNewFile(after error: LogFileError) throws(LogFileError) {
        if error.cause == .deleted {
            keeping.report(error.reason, "The daemon goes on in a new file of that name.")
        } else {
            guard file.isMoved else { throw error }
            try file.reopen()
            keeping.report("The log was moved.", "The daemon goes on in a new file of that name.")
        }
        try file.flush()
    }

    private func tryLater(_ error: LogFileError) {
        failures += 1
        retry = keeping.deadlines.schedule(after: error.isFull ? LogWriter.pipeInterval : Keeping.retryInterval) {
            [weak self] in self?.tryAgain()
        }
        // A pipe that is full for a moment is no problem.
        if !error.isFull || failures > 50 { reportOnce(error) }
    }

    private func tryAgain() {
        retry = nil
        write()
        keeping.kept()
    }

    private func reportOnce(_ error: LogFileError) {
        guard !isReported else { return }
        isReported = true
        keeping.report(error.reason, keeping.hint(error.isFull ? "Read it." : "Free some space, or make it writable."))
    }

    /// Looks, a second after something was written, whether another file has taken the place of this one. (Whether it
    /// was deleted is known after each write.)
    private func watch() {
        guard !isWatching else { return }
        isWatching = true
        keeping.deadlines.schedule(after: Keeping.retryInterval) { [weak self] in
            guard let self else { return }
            isWatching = false
            guard file.isReplaced else { return }
            keeping.report("The log was moved, and another file has its name.", "The daemon goes on in that file.")
            reopen()
        }
    }
}
