/// The state of a document's connection: whether it is attached, and which messages have been handled and acknowledged.
/// A value without clock, log or I/O.
struct PageState: Sendable, Equatable {
    enum Presence: Sendable, Equatable {
        /// Connected.
        case attached
        /// The connection broke or was closed. The document may come back.
        case away
        /// The document left for good, or was away for too long.
        case gone
    }

    private(set) var presence = Presence.attached
    /// The highest number of a message that was handled.
    private(set) var lastSeq: Int
    /// The highest number that was acknowledged to the page.
    private var acknowledgedSeq: Int
    /// How many messages have come that had been handled before.
    private(set) var repeated = 0

    /// - Parameter lastSeq: the number of the last message that was handled, if the document had a session before.
    init(lastSeq: Int = 0) {
        self.lastSeq = lastSeq
        acknowledgedSeq = lastSeq
    }

    /// Whether to handle a message: only if its number is higher than all before.
    ///
    /// A page sends again what was not acknowledged, so a repeated number is normal. Numbers may be missing, if a message
    /// was too large to send, or begin late, after a restart of the daemon. Even a page that is gone may have left a
    /// message in a beacon.
    mutating func accept(_ seq: Int) -> Bool {
        guard seq > lastSeq else {
            repeated += 1
            return false
        }
        lastSeq = seq
        return true
    }

    /// The number to acknowledge: that of the last message handled. Nil if nothing was handled since the last call.
    mutating func acknowledge() -> Int? {
        guard presence == .attached, lastSeq > acknowledgedSeq else { return nil }
        acknowledgedSeq = lastSeq
        return lastSeq
    }

    /// Notes that the document has a connection again. False if it is gone: then it needs a new session.
    mutating func attach() -> Bool {
        guard presence != .gone else { return false }
        presence = .attached
        return true
    }

    /// Notes that the connection ended. False if that changes nothing.
    mutating func detach() -> Bool {
        guard presence == .attached else { return false }
        presence = .away
        return true
    }

    /// Notes that the document is gone. False if it was gone already.
    mutating func leave() -> Bool {
        guard presence != .gone else { return false }
        presence = .gone
        return true
    }
}
