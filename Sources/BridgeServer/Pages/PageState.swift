/// The state of a document's connection: whether it is attached, and which messages have been handled and acknowledged.
/// This type has no clock and does no I/O.
struct PageState: Sendable, Equatable {
    enum Presence: Sendable, Equatable {
        /// The document has attached and its connection has not ended since. If the document called an interface object
        /// first, its connection may not be open yet.
        case attached
        /// The connection broke or was closed. The document may come back.
        case away
        /// The document will not come back, or was away for too long.
        case gone
    }

    private(set) var presence = Presence.attached
    /// The highest number of a message that was handled; 0 before the first.
    private(set) var lastSeq: Int
    /// The highest message number that was acknowledged to the page.
    private var acknowledgedSeq: Int
    /// The number of messages that came again after they had been handled. Only tests read it.
    private(set) var repeated = 0

    /// - Parameter lastSeq: the number of the last message that was handled, if the document had a session before.
    init(lastSeq: Int = 0) {
        self.lastSeq = lastSeq
        acknowledgedSeq = lastSeq
    }

    /// Decides whether to handle a message: only if its number is higher than all numbers before. Then it becomes
    /// `lastSeq`.
    ///
    /// A page sends messages again that were not acknowledged, so a repeated number is normal. A number is missing if
    /// its message was too large to send. After a restart of the daemon, the first number may be high. Even a page that
    /// is gone may have sent a message in a beacon.
    mutating func accept(_ seq: Int) -> Bool {
        guard seq > lastSeq else {
            repeated += 1
            return false
        }
        lastSeq = seq
        return true
    }

    /// Returns the number to acknowledge, which is that of the last message handled, and notes it as acknowledged.
    /// Returns nil if the document is not attached, or if no message was handled since the last call.
    mutating func acknowledge() -> Int? {
        guard presence == .attached, lastSeq > acknowledgedSeq else { return nil }
        acknowledgedSeq = lastSeq
        return lastSeq
    }

    /// Notes that the document has a connection again. Returns false if the document is gone and needs a new session.
    mutating func attach() -> Bool {
        guard presence != .gone else { return false }
        presence = .attached
        return true
    }

    /// Notes that the connection ended. Returns false if the document was not attached.
    mutating func detach() -> Bool {
        guard presence == .attached else { return false }
        presence = .away
        return true
    }

    /// Notes that the document is gone. Returns false if it was gone already.
    mutating func leave() -> Bool {
        guard presence != .gone else { return false }
        presence = .gone
        return true
    }
}
