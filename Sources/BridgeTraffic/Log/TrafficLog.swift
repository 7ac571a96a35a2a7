public import BridgeProtocol
package import Logging

/// The traffic of a daemon: it numbers the records, keeps the latest ones, and passes each on to files, an archive,
/// observers and subscribers.
///
/// Each record is converted to JSON once. The files, the ring and the subscribers share the bytes.
@MainActor public final class TrafficLog {
    private(set) var count = 0
    private(set) var ring: RecordRing
    let waiters: Waiters<(TrafficRecord, StoredRecord)>
    private var repeated = RepeatedProblems()
    private let deadlines: Deadlines
    private var repeatedDeadline: Deadlines.Token?
    private(set) var archive: (any TrafficArchive)?
    /// The records to write to the archive at the next flush.
    private var unarchived: [StoredRecord] = []
    private var files: [LogFile] = []
    private var observers: [@MainActor (TrafficRecord) -> Void] = []
    private var subscriptions: [TrafficSubscription] = []
    package let redaction: Redaction
    /// The token with which pages attach. Their URLs may contain it, so it is removed from records.
    private let pageToken: String?
    private let logger: Logger
    package let clock: any LoopClock
    private let disk: any Disk
    /// Converts the records to JSON. It is reused so that its buffer is allocated only once.
    private var writer = JSONWriter()

    /// - Parameter path: the NDJSON file to append to; nil for none.
    /// - Throws: `LogFileError` if the file can't be opened.
    package init(
        path: String?, kept: RecordRing.Limits, redaction: Redaction = .standard, pageToken: String? = nil,
        logger: Logger, clock: any LoopClock = SystemClock(), disk: any Disk = SystemDisk()
    ) throws(LogFileError) {
        self.logger = logger
        self.redaction = redaction
        self.pageToken = pageToken
        self.clock = clock
        self.disk = disk
        deadlines = Deadlines(clock: clock)
        waiters = Waiters(deadlines: deadlines)
        ring = RecordRing(limits: kept)
        if let path { files = [try LogFile(path: path, disk: disk)] }
    }

    /// Calls `observer` with every record from now on, in order. The observer gets the record of a message before the
    /// page gets the acknowledgement.
    public func observe(_ observer: @escaping @MainActor (TrafficRecord) -> Void) {
        observers.append(observer)
    }

    /// From now on, also writes every record to an open descriptor, as one line of JSON.
    public func write(to descriptor: Int32, name: String) {
        files.append(LogFile(descriptor: descriptor, name: name, disk: disk))
    }

    /// From now on, also keeps every record in an archive, and uses it for queries. The record of a message is in the
    /// archive before the page gets the acknowledgement.
    public func keep(in archive: any TrafficArchive) {
        self.archive = archive
    }

    /// Records what the emulated app did, as an `app` record.
    public func app(_ event: String, _ fields: [JSONValue.Member], page: (any TrafficPage)?) {
        append(.app(event: event, fields: fields), .toNative, page)
    }

    /// Reports what went wrong, as a `problem` record and as a warning of the logger.
    ///
    /// If a client causes equal problems again and again, only the first ones get records. A later record counts the
    /// others: see ``RepeatedProblems``.
    /// - Parameters:
    ///   - hint: what a developer can do about it.
    ///   - client: the address of the client that caused it, if it is not a page.
    ///   - about: the number of the message's record, if that record already has the verdict.
    public func problem(
        _ code: String, _ text: String, hint: String, page: (any TrafficPage)? = nil, client: String? = nil,
        about: Int? = nil
    ) {
        let problem = Problem(code: code, text: text, hint: hint, page: page, source: page?.id ?? client ?? "")
        // A problem about a message is no more than a second record of the message.
        if about == nil, !repeated.admit(problem, at: clock.now) { return countLater() }
        record(problem, about: about)
    }

    private func record(_ problem: Problem, about: Int? = nil, count: Int? = nil) {
        let times = count.map { " (\($0) more times)" } ?? ""
        logger.warning(
            "\(problem.text)\(times) \(problem.hint)", metadata: problem.page.map { ["page": .string($0.id)] })
        append(
            .problem(code: problem.code, text: problem.text, hint: problem.hint, about: about, count: count), .toNative,
            problem.page)
    }

    private func countLater() {
        guard repeatedDeadline == nil, let deadline = repeated.deadline else { return }
        repeatedDeadline = deadlines.schedule(after: deadline - clock.now) { [weak self] in
            self?.countRepeatedProblems()
            self?.flush()
        }
    }

    /// Records how many problems got no record of their own. The server also calls this before it ends.
    package func countRepeatedProblems() {
        deadlines.cancel(repeatedDeadline)
        repeatedDeadline = nil
        for (problem, count) in repeated.end() { record(problem, count: count) }
    }

    /// Makes a record, removes secrets from it, and passes it on.
    /// - Returns: the record's number.
    @discardableResult
    package func append(
        _ event: consuming TrafficRecord.Event, _ direction: TrafficRecord.Direction, _ page: (any TrafficPage)?
    ) -> Int {
        count += 1
        let url = event.kind == .page ? page?.url : page?.repeatedURL
        let record = TrafficRecord(
            record: count, time: clock.timestamp, page: page?.id, webView: page?.webView, url: url,
            direction: direction, event: event.redacted(by: redaction))
        let stored = store(record)
        ring.append(stored)
        for file in files { file.append(stored.line) }
        if archive != nil { unarchived.append(stored) }
        for observer in observers { observer(record) }
        for subscription in subscriptions { subscription.offer(stored) }
        if !waiters.isEmpty { waiters.offer((record, stored)) }
        return stored.number
    }

    /// Converts the record to JSON, without the page token, which any URL in it may contain.
    private func store(_ record: TrafficRecord) -> StoredRecord {
        let stored = StoredRecord(record, using: &writer)
        guard let pageToken else { return stored }
        let line = String(decoding: stored.line, as: UTF8.self)
        guard line.contains(pageToken) else { return stored }
        return StoredRecord(line: line.replacing(pageToken, with: "[redacted]").utf8) ?? stored
    }

    func add(_ subscription: TrafficSubscription) {
        subscriptions.removeAll(where: \.isCancelled)
        subscriptions.append(subscription)
    }

    /// Writes the appended records to the files and the archive. The server calls this in each round of the event loop,
    /// before it acknowledges messages.
    package func flush() {
        for file in files {
            do throws(LogFileError) {
                try file.flush()
            } catch {
                // The daemon continues without this file. Memory, the other files and the observers get this record.
                problem(
                    "logFailed", error.description,
                    hint: file.canReopen ? TrafficLog.hintForFullDisk : TrafficLog.hintForLoss)
            }
        }
        archiveRecords()
    }

    /// Opens the log file's path again. Call this after the file was moved away, or when a full disk has room again.
    public func reopenFiles() {
        flush()
        for file in files {
            do throws(LogFileError) {
                try file.reopen()
            } catch {
                problem("logFailed", error.description, hint: "The daemon keeps writing to the old file.")
            }
        }
        flush()
    }

    private static let hintForLoss = "Nothing more is written to it."
    private static let hintForFullDisk =
        "The traffic is now only in memory. Free some disk space, and send SIGHUP to the daemon: it opens the log again."

    private func archiveRecords() {
        guard let archive, !unarchived.isEmpty else { return }
        defer { unarchived.removeAll(keepingCapacity: true) }
        do {
            try archive.append(unarchived)
        } catch {
            self.archive = nil
            problem(
                "logFailed", "Can't write the database: \(error).", hint: TrafficLog.hintForLoss)
        }
    }
}
