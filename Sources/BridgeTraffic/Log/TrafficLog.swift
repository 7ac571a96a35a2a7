public import BridgeProtocol
import Dispatch
package import Logging

/// The traffic of a daemon: it numbers the records, has the latest ones in memory, and passes each on to files, an
/// archive, observers and subscribers.
///
/// Each record is converted to JSON once. The files, the ring and the subscribers share the bytes.
@MainActor public final class TrafficLog {
    // Each access to these properties would be checked for an overlap. No code that reads or changes them calls this
    // object again.
    @exclusivity(unchecked) private(set) var count = 0
    /// The bytes of the records that were given to the keepers.
    @exclusivity(unchecked) private var bytes = 0
    @exclusivity(unchecked) private(set) var ring: RecordRing
    let waiters: RecordWaiters
    private var repeated = RepeatedProblems()
    private let deadlines: Deadlines
    private var repeatedDeadline: Deadlines.Token?
    private(set) var archive: ArchiveWriter?
    // Arrays that are only read or replaced as a whole need no check for overlapping accesses. They are read for each
    // record.
    private var keepers: [any RecordKeeper] = []
    private var observers: [@MainActor (TrafficRecord) -> Void] = []
    private var appObservers: [@MainActor () -> Void] = []
    private var subscriptions: [TrafficSubscription] = []
    private var counter: (any EventCounter)?
    private let context: KeeperContext
    private let archiveReads = DispatchQueue(label: "bridged.archive.reads")
    package let redaction: Redaction
    private let tokens: TokenRedaction
    private let logger: Logger
    package let clock: any LoopClock
    /// Converts the records to JSON. It is reused so that its buffer is allocated only once.
    @exclusivity(unchecked) private var writer = JSONWriter()

    /// - Parameters:
    ///   - path: the NDJSON file to append to; nil for none.
    ///   - kept: how much stays in memory.
    ///   - waiting: how much may wait for a log file or an archive that cannot be written.
    ///   - tokens: the daemon's tokens. A page may have one in its URL, or send one as a handler's name, so they are
    ///     removed from records.
    /// - Throws: `LogFileError` if the file can't be opened.
    package init(
        path: String?, kept: RecordRing.Limits, waiting: RecordRing.Limits = .none, redaction: Redaction = .standard,
        tokens: [String] = [], logger: Logger, clock: any LoopClock = SystemClock(),
        disk: any Disk = SystemDisk()
    ) throws(LogFileError) {
        self.logger = logger
        self.redaction = redaction
        self.tokens = TokenRedaction(tokens)
        self.clock = clock
        ring = RecordRing(limits: kept)
        deadlines = Deadlines(clock: clock)
        waiters = RecordWaiters(deadlines: deadlines)
        context = KeeperContext(deadlines: deadlines, limits: waiting)
        if let path { keepers = [try LogWriter(path: path, disk, context)] }
        context.report = { [weak self] text, hint in self?.problem(.logFailed, text, hint: hint) }
        context.notice = { [logger] text in logger.notice("\(text)") }
    }

    /// Calls `observer` with every record from now on, in order. The observer gets the record of a message before the
    /// page gets the acknowledgement.
    public func observe(_ observer: @escaping @MainActor (TrafficRecord) -> Void) {
        observers = observers + [observer]
    }

    /// Passes every event from now on to `counter`. It gets no records, so that none need be made for it.
    package func count(with counter: any EventCounter) { self.counter = counter }

    /// Calls `observer` after every record of the app itself from now on. An observer of all records would cost each
    /// message some instructions.
    package func observeApp(_ observer: @escaping @MainActor () -> Void) { appObservers.append(observer) }

    /// From now on, also keeps every record in an archive, and uses it for queries.
    public func keep(in archive: any TrafficArchive) { keep(in: archive, on: ArchiveQueue()) }

    package func keep(in archive: any TrafficArchive, on thread: any ArchiveThread) {
        let writer = ArchiveWriter(archive, on: thread, after: count, context)
        self.archive = writer
        keepers = keepers + [writer]
    }

    /// From now on, also passes every record to a keeper.
    /// - Parameter make: makes the keeper, after the record with the number that it gets.
    package func keep<Keeper: RecordKeeper>(_ make: (_ after: Int, KeeperContext) -> Keeper) -> Keeper {
        let keeper = make(count, context)
        keepers = keepers + [keeper]
        return keeper
    }

    /// Takes over a record of other logs, with the number that it has there. Those in between count as missed.
    package func takeOver(_ record: StoredRecord) {
        guard record.number > count else { return }
        if record.number > count + 1 { ring.removeAll() }
        count = record.number
        ring.append(record)
        for subscription in subscriptions { subscription.offer(record) }
        if !waiters.isEmpty, let read = TrafficRecord(line: record.line) { waiters.offer(read, record) }
    }

    /// Records what the emulated app did, as an `app` record.
    /// - Returns: the record's number.
    @discardableResult
    public func app(_ event: String, _ fields: [JSONValue.Member], page: (any TrafficPage)?) -> Int {
        defer { for observer in appObservers { observer() } }
        return append(.app(event: event, fields: fields), .toNative, page)
    }

    /// Reports what went wrong, as a `problem` record and as a warning of the logger.
    ///
    /// If a client causes equal problems again and again, only the first ones get records. A later record counts the
    /// others: see ``RepeatedProblems``.
    /// - Parameters:
    ///   - hint: what a developer can do about it. The page of the documentation that has the rule is added.
    ///   - client: the address of the client that caused it, if it is not a page.
    ///   - about: the number of the message's record, if that record already has the verdict.
    public func problem(
        _ code: ProblemCode, _ text: String, hint: String, page: (any TrafficPage)? = nil, client: String? = nil,
        about: Int? = nil
    ) {
        let problem = Problem(
            code: code.rawValue, text: text, hint: code.linked(hint), page: page,
            source: page?.id ?? client ?? "")
        // A problem about a message is no more than a second record of the message.
        if about == nil, !repeated.admit(problem, at: clock.now) { return countLater() }
        record(problem, about: about)
    }

    private func record(_ problem: Problem, about: Int? = nil, count: Int? = nil) {
        let times = count.map { " (\($0) more times)" } ?? ""
        logger.warning(
            "\(tokens.removed(from: "\(problem.text)\(times) \(problem.hint)"))",
            metadata: problem.page.map { ["page": .string($0.id)] })
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
        _ event: consuming TrafficRecord.Event, _ direction: TrafficRecord.Direction, _ page: (any TrafficPage)?,
        world: String? = nil, isByTool: Bool = false, here: Verdict? = nil
    ) -> Int {
        count += 1
        var members = page?.members
        // A record about the page itself has the whole URL.
        if event.kind == .page, let page { members = members?.with(page.url, page.device) }
        let (number, time, event) = (count, clock.timestamp, event.redacted(by: redaction))
        writer.reset()
        let here = here.map(redaction.redacted)
        TrafficRecord.write(number, nil, time, members, world, isByTool, here, direction, event, to: &writer)
        let stored = withoutTokens(
            StoredRecord(number, time, event.facets(direction, nil, members), endingLineOf: &writer))
        ring.append(stored)
        if !keepers.isEmpty { bytes += stored.line.count }
        for keeper in keepers { keeper.append(stored) }
        counter?.count(event)
        // Most records have neither, and need not be made.
        if !observers.isEmpty || !waiters.isEmpty {
            let record = TrafficRecord(
                record: number, time: time, pageMembers: members, world: world, isByTool: isByTool,
                here: here, direction: direction, event: event)
            for observer in observers { observer(record) }
            if !waiters.isEmpty { waiters.offer(record, stored) }
        }
        for subscription in subscriptions { subscription.offer(stored) }
        return number
    }

    private func withoutTokens(_ stored: StoredRecord) -> StoredRecord {
        guard tokens.appear(in: stored.line) else { return stored }
        let line = Array(tokens.removed(from: String(decoding: stored.line, as: UTF8.self)).utf8)
        // The facets may have a token as well, such as a handler's name.
        return StoredRecord(line: line) ?? stored.replacingLine(by: line)
    }

    /// Removes the daemon's tokens from a text.
    public nonisolated var withoutTokens: @Sendable (String) -> String {
        { [tokens] text in tokens.removed(from: text) }
    }

    func add(_ subscription: TrafficSubscription) {
        subscriptions = subscriptions.filter { !$0.isCancelled } + [subscription]
    }

    // MARK: Keeping

    /// The number of the last record that the log file and the archive have, together with all before it. A message may
    /// be acknowledged if its record is not after that.
    package var keptThrough: Int { keepers.lazy.map(\.keptThrough).min() ?? count }

    /// The queue in which so many records wait to be written that pages must hold further messages themselves; nil if
    /// there is none.
    package var fullQueue: FullQueue? {
        guard keepers.contains(where: \.isFull) else { return nil }
        flush()
        return keepers.first(where: \.isFull).map(FullQueue.init)
    }

    package var isFull: Bool { fullQueue != nil }

    /// The queue in which more records of one page wait than there is room left. That page must hold further messages
    /// itself, so that the others need not: one that floods alone when the queue is half full, and two that flood alike
    /// when it is two thirds full.
    /// - Parameter share: the records that the page has caused.
    package func queue(filledBy share: RecordShare) -> FullQueue? {
        guard !keepers.isEmpty else { return nil }
        let waiting = share.waiting(after: keptThrough)
        return waiting.records == 0 ? nil : keepers.first { $0.isFull(withMore: waiting) }.map(FullQueue.init)
    }

    /// How many of the records that a page has caused wait to be written.
    package func waitingRecords(of share: RecordShare) -> Int {
        keepers.isEmpty ? 0 : share.waiting(after: keptThrough).records
    }

    /// The records that the log file and the archive have been given so far.
    package var total: RecordCount { RecordCount(records: count, bytes: bytes) }

    /// Adds the records since an earlier ``total`` to those that a page has caused.
    package func add(recordsSince total: RecordCount, to share: inout RecordShare) {
        if !keepers.isEmpty { share.add(self.total - total, through: count, keptThrough: keptThrough) }
    }

    /// Calls `action` when records are kept later than in the last `flush`.
    package func onKept(_ action: @escaping @MainActor () -> Void) { context.onKept = action }

    /// Writes the appended records to the log file, and passes them to the archive. The server calls this in each round
    /// of the event loop, before it acknowledges messages.
    package func flush() {
        for keeper in keepers { keeper.flush() }
    }

    /// From now on, `flush` waits until the archive has the records, but not longer than until `end`.
    package func waitForArchive(until end: ContinuousClock.Instant) { context.flushDeadline = end }

    /// Writes what waits, for the last time, and reports what could not be written.
    package func finish(before deadline: ContinuousClock.Instant) {
        context.flushDeadline = nil
        for keeper in keepers { keeper.finish(before: deadline) }
        let lost = count - keptThrough
        guard lost > 0 else { return }
        logger.error(
            "The daemon ends, and up to \(lost) records are in no log. Their messages were not acknowledged.")
    }

    /// Opens the log file's path and the archive again. Call this after the file was moved away, or when a full disk
    /// has room again.
    public func reopenFiles() {
        flush()
        for keeper in keepers { keeper.reopen() }
        flush()
    }
}

/// Querying records, subscribing to them and waiting for them.
extension TrafficLog {
    /// The number of the latest record; 0 if there is none.
    public var lastRecord: Int { count }

    /// How many records are in memory, and how many bytes their lines have.
    package var keptBytes: (records: Int, bytes: Int) { (ring.count, ring.byteCount) }

    /// How many bytes of an archive are read at a time when all of it is read.
    package static let pageBytes = 1 << 20
    /// How many records of an archive are searched at a time.
    private static let searchedAtOnce = 20_000

    /// The number of the oldest record that can still be read; one more than the latest if there is none.
    var oldestKept: Int { archive == nil ? ring.first ?? count + 1 : 1 }

    /// Finds records in the ring and in the archive, if there is one. Blocks while it reads the archive, and pages wait
    /// meanwhile: see ``find(_:after:limit:bytes:)``.
    ///
    /// - Parameters:
    ///   - after: the number of a record; only later ones are searched.
    ///   - limit: the greatest number of records to return.
    ///   - bytes: the search ends with the record that makes the lines this long.
    /// - Returns: the matching records, oldest first, and the value of `after` for the next query, which is less than
    ///   ``lastRecord`` if there are more.
    public func query(
        _ filter: TrafficFilter = TrafficFilter(), after: Int = 0, limit: Int, bytes: Int = .max
    ) -> (records: [StoredRecord], next: Int) {
        var found = FoundRecords(limits: RecordRing.Limits(records: limit, bytes: bytes))
        searchArchive(filter, after: after, &found)
        if found.isFull, let last = found.records.last { return (found.records, last.number) }
        for record in ring.after(after) where filter.matches(record) {
            guard !found.isFull else { return (found.records, found.records.last?.number ?? after) }
            found.append(record)
        }
        return (found.records, max(after, count))
    }

    /// Finds records as ``query(_:after:limit:bytes:)`` does, but does not block the main actor while the archive is
    /// read. It ends early if the task is cancelled.
    /// - Returns: in addition, whether a part of the archive could not be read.
    public func find(
        _ filter: TrafficFilter = TrafficFilter(), after: Int = 0, limit: Int, bytes: Int = .max
    ) async -> (records: [StoredRecord], next: Int, isUnreadable: Bool) {
        var found = FoundRecords(limits: RecordRing.Limits(records: limit, bytes: bytes))
        var (after, isUnreadable) = (after, false)
        // More records may have left the memory while the archive was read.
        while !found.isFull, isOnlyArchived(after: after) {
            guard !Task.isCancelled else { return (found.records, after, isUnreadable) }
            let read = await withCheckedContinuation { continuation in
                readArchive(filter, after: after, found.room) { continuation.resume(returning: $0) }
            }
            for record in read.records { found.append(record) }
            after = read.next
            if read.missing == .unreadable { isUnreadable = true }
        }
        guard !found.isFull else { return (found.records, after, isUnreadable) }
        let rest = query(filter, after: after, limit: found.room.records, bytes: found.room.bytes)
        return (found.records + rest.records, rest.next, isUnreadable)
    }

    /// Calls `deliver` with every matching record from now on, in order, until the subscription is cancelled.
    ///
    /// A `query` right before or after this call, without an `await` between them, returns exactly the records that
    /// come before those.
    public func subscribe(
        _ filter: TrafficFilter = TrafficFilter(), _ deliver: @escaping @MainActor (StoredRecord) -> Void
    ) -> TrafficSubscription {
        let subscription = TrafficSubscription(filter, deliver)
        add(subscription)
        return subscription
    }

    /// Waits for the first matching record.
    ///
    /// - Parameters:
    ///   - match: a subset of the record's ``StoredRecord/payload``.
    ///   - after: the number of a record. Kept records with a higher number count, too; nil waits for new records only.
    ///   - timeout: for how long to search and to wait.
    /// - Throws: `RPCError` `waitTimedOut` (-32005) if the time is over, `CancellationError` if the task is cancelled.
    public func next(
        _ filter: TrafficFilter = TrafficFilter(), match: ScriptValue? = nil, after: Int? = nil, timeout: Duration
    ) async throws -> StoredRecord {
        let wanted = WantedRecord(filter: filter, match: match)
        let deadline = deadlines.now + timeout
        var isUnreadable = false
        if let after {
            let search = await search(wanted, after: after, before: deadline)
            if let record = search.record { return record }
            isUnreadable = search.isUnreadable
        }
        try Task.checkCancellation()
        // No record can come between the search and the wait, because both run on the main actor and neither gives way
        // in between.
        let left = deadline - deadlines.now
        if left > .zero, let stored = await waiters.next(wanted, within: left) { return stored }
        try Task.checkCancellation()
        throw waitTimedOut(timeout, wanted, after: after, isUnreadable)
    }

    /// The number of the first record in memory, before which all are in the archive alone; nil without an archive.
    private var archiveEnd: Int? {
        guard let archive, let first = ring.first else { return nil }
        return min(first, archive.waiting.first?.number ?? first)
    }

    /// Whether the next records after a number are in the archive, and not in memory any more.
    func isOnlyArchived(after: Int) -> Bool { archiveEnd.map { after < $0 - 1 } ?? false }

    /// What was found in a part of the archive.
    struct ArchiveRead {
        /// The matching records, oldest first.
        var records: [StoredRecord] = []
        /// The value of `after` for the next read.
        let next: Int
        /// Why the records up to `next` are missing; nil if they are not.
        var missing: Missing?

        enum Missing {
            /// The archive has deleted them, or its file was.
            case deleted
            case unreadable
        }
    }

    /// Finds records in the archive alone, without blocking the main actor. Call it if ``isOnlyArchived(after:)``.
    ///
    /// It searches a part of the archive. So whoever does not want the rest any more can leave it out, and others get
    /// their turn.
    func readArchive(
        _ filter: TrafficFilter, after: Int, _ limits: RecordRing.Limits,
        found: @escaping @MainActor @Sendable (ArchiveRead) -> Void
    ) {
        guard let archive, let archiveEnd, after < archiveEnd - 1 else { return found(ArchiveRead(next: after)) }
        let first = max(after, 0) + 1
        let end = min(archiveEnd, first + TrafficLog.searchedAtOnce)
        archiveReads.async { [archive = archive.archive] in
            let result = Result { () throws -> ArchiveRead in
                let oldest = try archive.oldest() ?? archiveEnd
                guard first >= oldest else {
                    return ArchiveRead(next: min(oldest, archiveEnd) - 1, missing: .deleted)
                }
                let records = try archive.query(filter, in: first..<end, limit: limits.records, bytes: limits.bytes)
                let bytes = records.reduce(0) { $0 + $1.line.count }
                let isFull = records.count >= limits.records || bytes >= limits.bytes
                return ArchiveRead(records: records, next: isFull ? records.last?.number ?? after : end - 1)
            }
            Task { @MainActor in
                switch result {
                case .success(let read): found(read)
                case .failure(let error):
                    self.reportUnreadable(error)
                    found(ArchiveRead(next: end - 1, missing: .unreadable))
                }
            }
        }
    }

    private func reportUnreadable(_ error: any Error) {
        problem(
            .logFailed, sentence("Can't read the database: \(error)"),
            hint: "Queries return only the records in memory.")
    }

    /// Finds the first record that fits, among those that are there now and those that come during the search.
    /// - Returns: no record if there is none, if the time is over, or if the task is cancelled; and whether a part of the
    ///   archive could not be read.
    private func search(
        _ wanted: WantedRecord, after: Int, before deadline: ContinuousClock.Instant
    ) async -> (record: StoredRecord?, isUnreadable: Bool) {
        var (after, isUnreadable) = (after, false)
        while after < count, !Task.isCancelled {
            let found = await find(wanted.filter, after: after, limit: 100, bytes: TrafficLog.pageBytes)
            if let record = found.records.first(where: wanted.matches) { return (record, isUnreadable) }
            after = found.next
            isUnreadable = isUnreadable || found.isUnreadable
            // What is in memory is searched whatever the time.
            guard deadlines.now <= deadline || !isOnlyArchived(after: after) else { break }
        }
        return (nil, isUnreadable)
    }

    /// Finds the matching records that the ring no longer has: first those in the archive, then those that wait for it.
    private func searchArchive(_ filter: TrafficFilter, after: Int, _ found: inout FoundRecords) {
        // `after` may be any number: a client sent it.
        guard let archive, let end = archiveEnd, let first = ring.first, after < first - 1 else { return }
        do {
            if after < end - 1 {
                let (limit, bytes) = (found.limits.records, found.limits.bytes)
                for record in try archive.archive.query(filter, in: after + 1..<end, limit: limit, bytes: bytes) {
                    found.append(record)
                }
            }
        } catch {
            reportUnreadable(error)
        }
        for record in archive.waiting {
            guard record.number < first, !found.isFull else { break }
            if record.number > after, filter.matches(record) { found.append(record) }
        }
    }

    /// Makes the error of a wait that timed out. It names an earlier record in memory that fits, if there is one, because
    /// it is a common mistake to begin the wait too late.
    private func waitTimedOut(
        _ timeout: Duration, _ wanted: WantedRecord, after: Int?, _ isUnreadable: Bool
    ) -> RPCError {
        var text = "No record came within \(timeout.inMilliseconds) that fits"
        text += wanted.filter.terms.isEmpty ? "." : " \(wanted.filter)."
        if isUnreadable {
            text += " Some kept records cannot be read: see the problem \(ProblemCode.logFailed.rawValue)."
        } else if let after, isOnlyArchived(after: after) {
            text +=
                " The search of the kept records may have taken all of that time: wait longer, or after a later record."
        } else if let missed = ring.after(0).first(where: wanted.matches), missed.number <= after ?? .max {
            text += " Record \(missed.number) fits, but came before: wait with after \(missed.number - 1) to count it."
        }
        return RPCError(.waitTimedOut, text, data: ["timeoutMs": .number(timeout.milliseconds)])
    }
}

/// Counts the events of records.
@MainActor package protocol EventCounter: AnyObject {
    func count(_ event: TrafficRecord.Event)
}

/// The records that a query has found so far.
private struct FoundRecords {
    let limits: RecordRing.Limits
    private(set) var records: [StoredRecord] = []
    private var bytes = 0

    init(limits: RecordRing.Limits) { self.limits = limits }

    var isFull: Bool { records.count >= limits.records || bytes >= limits.bytes }

    /// How much more may be found. Nothing, or less, if ``isFull``.
    var room: RecordRing.Limits {
        RecordRing.Limits(records: limits.records - records.count, bytes: limits.bytes - bytes)
    }

    mutating func append(_ record: StoredRecord) {
        records.append(record)
        bytes += record.line.count
    }
}

extension ProblemCode {
    package static let logFailed = Self("logFailed", page: "delivery.md#if-the-log-cannot-be-written")
}
