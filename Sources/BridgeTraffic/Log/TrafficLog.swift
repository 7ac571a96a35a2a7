public import BridgeProtocol
package import Logging

/// Counts what happened, keeps the latest of it, and tells who wants to know. On the main actor.
///
/// A record is printed once: files, the ring and subscribers share the bytes.
///
/// What it holds is only touched between calls to others, so the check for overlapping accesses, which cost 3 % of a
/// message, is off here, in ``Metrics``, ``Evaluations``, ``LogFile``, ``Waiters``, ``Page`` and ``Hub``.
@MainActor public final class TrafficLog {
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private(set) var ring: RecordRing
    let waiters = Waiters<(TrafficRecord, StoredRecord)>(deadlines: Deadlines())
    @exclusivity(unchecked) private(set) var archive: (any TrafficArchive)?
    /// What the archive has not got yet.
    private var unarchived: [StoredRecord] = []
    @exclusivity(unchecked) private var files: [LogFile] = []
    @exclusivity(unchecked) private var observers: [@MainActor (TrafficRecord) -> Void] = []
    @exclusivity(unchecked) private var subscriptions: [TrafficSubscription] = []
    package let redaction: Redaction
    /// Stands in the addresses of pages, and is left out of records.
    private let pageToken: String?
    private let logger: Logger
    /// Prints one record after the other.
    @exclusivity(unchecked) private var writer = JSONWriter()

    /// - Parameter path: the NDJSON file to append to, if any.
    package init(
        path: String?, kept: RecordRing.Limits, redaction: Redaction = .standard, pageToken: String? = nil,
        logger: Logger
    ) throws(LogFileError) {
        self.logger = logger
        self.redaction = redaction
        self.pageToken = pageToken
        ring = RecordRing(limits: kept)
        if let path { files = [try LogFile(path: path)] }
    }

    /// Calls `observer` with every record from now on, in order, before it is acknowledged.
    public func observe(_ observer: @escaping @MainActor (TrafficRecord) -> Void) {
        observers.append(observer)
    }

    /// Writes every record from now on to an open descriptor as well, one JSON object a line.
    public func write(to descriptor: Int32, name: String) {
        files.append(LogFile(descriptor: descriptor, name: name))
    }

    /// Keeps every record from now on in an archive as well, before it is acknowledged, and answers queries from it.
    public func keep(in archive: any TrafficArchive) {
        self.archive = archive
    }

    /// What the emulated app did, as a `app` record.
    public func app(_ event: String, _ fields: [JSONValue.Member], page: (any TrafficPage)?) {
        append(.app(event: event, fields: fields), .toNative, page)
    }

    /// What went wrong, as a `problem` record and as a line for people. It names the way out.
    ///
    /// - Parameter about: the number of the message's record, where that has the verdict already.
    public func problem(_ code: String, _ text: String, hint: String, page: (any TrafficPage)? = nil, about: Int? = nil)
    {
        logger.warning("\(text) \(hint)", metadata: page.map { ["page": .string($0.id)] })
        append(.problem(code: code, text: text, hint: hint, about: about), .toNative, page)
    }

    /// - Returns: the record's number.
    @discardableResult
    package func append(
        _ event: consuming TrafficRecord.Event, _ direction: TrafficRecord.Direction, _ page: (any TrafficPage)?
    ) -> Int {
        count += 1
        let record = TrafficRecord(
            record: count, time: .now, page: page?.id, webView: page?.webView, url: page?.url,
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

    /// Prints the record, without the page token, which may be part of any address in it.
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

    /// Writes what was appended. Called once for all that a round of the loop brought, before it is acknowledged.
    package func flush() {
        for file in files {
            do throws(LogFileError) {
                try file.flush()
            } catch {
                // The daemon goes on without this file; memory, the others and the observers hear why.
                problem(
                    "logFailed", error.description,
                    hint: file.canReopen ? TrafficLog.hintForFullDisk : TrafficLog.hintForLoss)
            }
        }
        archiveRecords()
    }

    /// Opens the log's file again by its name, after somebody has moved it away or has made room on the disk.
    public func reopenFiles() {
        flush()
        for file in files {
            do throws(LogFileError) {
                try file.reopen()
            } catch {
                problem("logFailed", error.description, hint: "The daemon goes on with the file that it had.")
            }
        }
        flush()
    }

    private static let hintForLoss = "From here on nothing is written to it."
    private static let hintForFullDisk =
        "From here on the traffic is in memory only. Make room, and send SIGHUP to the daemon: it opens the log again."

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
