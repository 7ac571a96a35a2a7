import BridgeProtocol
import BridgeTraffic

/// What is kept of messages when daemons end and disks fail.
extension Invariants {
    func daemonStarted() {
        run += 1
        lastSeq = [:]
        failing = []
        said = [:]
        lastArchived = 0
        acceptedByBeacon = []
        for number in messages.indices { messages[number].isInLostCall = false }
    }

    func daemonKilled() {
        unsaid = []
        acceptedByBeacon = []
    }

    /// The daemon has stopped in order: it has nothing in hand any more, unless its last write failed.
    func daemonStopped() {
        for (number, message) in messages.enumerated()
        where message.recordedIn == run && !keepers.subtracting(message.keptIn).isSubset(of: failing) {
            violate(.stopped, "\(name(number)) was handled before SIGTERM, and is only in \(message.keptIn)")
        }
        for number in acceptedByBeacon where messages[number].recordedIn == 0 && !messages[number].page.isLiar {
            violate(.stopped, "\(name(number)) came in a beacon that was accepted before SIGTERM, and was not handled")
        }
    }

    func keeperFailed(_ keeper: Keepers) {
        // The problem is reported once, until everything could be written again. From the fifth time on, it is counted.
        if failing.insert(keeper).inserted, said[keeper, default: 0] < 4 { unsaid.insert(keeper) }
    }

    /// Nothing says that a database does not answer: it may be busy.
    func archiveStalled() { failing.insert(.archive) }

    /// Everything that waited could be written.
    func keeperWorks(_ keeper: Keepers) {
        failing.remove(keeper)
        unsaid.remove(keeper)
    }

    /// A line of a log file is complete.
    func logged(_ line: UnsafeRawBufferPointer, in file: SimulatedDisk.File) {
        guard !line.isEmpty else { return }
        show?(String(decoding: line, as: UTF8.self))
        guard let json = try? JSON.parse(line), let record = json["record"]?.wholeNumber else {
            if !file.mayHaveTornLine {
                violate(.lines, "the log has a line that is no record: \(String(decoding: line, as: UTF8.self))")
            }
            return file.mayHaveTornLine = false
        }
        // Only the line feed of a line that an earlier run wrote may be missing.
        let isOfThisRun = !file.mayHaveTornLine
        file.mayHaveTornLine = false
        // What is written to a file that was deleted is written again to the next one.
        guard file.hasName else { return }
        if isOfThisRun {
            if file.lastRecord >= (run, record) { violate(.lines, "record \(record) comes after \(file.lastRecord)") }
            file.lastRecord = (run, record)
        }
        if json["kind"]?.stringEquals("message") == true { keptMessage(json, by: .log) }
    }

    func archived(_ record: StoredRecord) {
        if record.number <= lastArchived {
            violate(.lines, "the archive gets record \(record.number) after record \(lastArchived)")
        }
        lastArchived = record.number
        if record.facets.kind == .message { keptMessage(record.json, by: .archive) }
    }

    private func keptMessage(_ json: JSON, by keeper: Keepers) {
        guard let body = json["body"], let number = body.wholeNumber ?? body[0]?.wholeNumber,
            messages.indices.contains(number)
        else { return }
        messages[number].keptIn.insert(keeper)
    }

    func problem(_ code: String, _ text: String) {
        guard code == "logFailed", text.hasPrefix("Can't write") else { return }
        let keeper: Keepers = text.hasPrefix("Can't write the log") ? .log : .archive
        said[keeper, default: 0] += 1
        unsaid.remove(keeper)
    }

    /// Checks what must be true after each step.
    func stepEnded() {
        if !unsaid.isEmpty { violate(.silence, "\(unsaid) could not be written, and no problem says so") }
    }
}
