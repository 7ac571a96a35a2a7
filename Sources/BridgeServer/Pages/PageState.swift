/// What a document's connection has been through. A value without clock, log or I/O: events in, what follows from
/// them out.
struct PageState: Sendable, Equatable {
    enum Presence: Sendable, Equatable {
        /// Connected.
        case attached
        /// Its connection broke or was closed; it may come back.
        case away
        /// It left for good, or stayed away for too long.
        case gone
    }

    private(set) var presence = Presence.attached
    /// The highest sequence number that was handled.
    private(set) var lastSeq: Int
    /// The highest sequence number that the page was told of.
    private(set) var acknowledgedSeq: Int
    /// How many messages came that had been handled.
    private(set) var repeated = 0

    /// - Parameter lastSeq: what was handled of a document that comes back after it was given up.
    init(lastSeq: Int = 0) {
        self.lastSeq = lastSeq
        acknowledgedSeq = lastSeq
    }

    /// Whether a message is to be handled. A page sends again what was not acknowledged, so a number that is known
    /// already is normal; numbers may also be left out (a message that was too large to send), or begin late (after a
    /// restart of the daemon). A page that is gone may have left a beacon.
    mutating func accept(_ seq: Int) -> Bool {
        guard seq > lastSeq else {
            repeated += 1
            return false
        }
        lastSeq = seq
        return true
    }

    /// The number to acknowledge, once for all that has been handled since the last time.
    mutating func acknowledge() -> Int? {
        guard presence == .attached, lastSeq > acknowledgedSeq else { return nil }
        acknowledgedSeq = lastSeq
        return lastSeq
    }

    /// The document has a connection again. False for one that counts as gone: it must attach as a new page.
    mutating func attach() -> Bool {
        guard presence != .gone else { return false }
        presence = .attached
        return true
    }

    /// The connection ended. False where that changes nothing.
    mutating func detach() -> Bool {
        guard presence == .attached else { return false }
        presence = .away
        return true
    }

    /// False if it was gone already.
    mutating func leave() -> Bool {
        guard presence != .gone else { return false }
        presence = .gone
        return true
    }
}
