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
    /// The highest message number up to which the log has the records of all messages.
    private(set) var keptSeq = 0
    /// The highest number returned by `awaitKeeping`.
    private var awaitedSeq = 0
    /// The highest message number that was acknowledged to the page.
    private var acknowledgedSeq = 0
    /// The number of messages that came again after they had been handled. Only tests read it.
    private(set) var repeated = 0

    /// - Parameter lastSeq: the number of the last message that was handled, if the document had a page before.
    /// - Parameter isKept: whether that message has its record.
    init(lastSeq: Int = 0, isKept: Bool = false) {
        self.lastSeq = lastSeq
        if isKept { (keptSeq, awaitedSeq) = (lastSeq, lastSeq) }
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

    /// Whether messages are handled whose records the log does not have yet.
    var isAwaitingLog: Bool { presence != .gone && awaitedSeq > keptSeq }

    /// Returns the number of the last message handled, whose acknowledgement must wait for the log. Returns nil if it
    /// was returned before.
    mutating func awaitKeeping() -> Int? {
        guard lastSeq > max(awaitedSeq, keptSeq) else { return nil }
        awaitedSeq = lastSeq
        return lastSeq
    }

    /// Notes that the log has the records of all messages up to `seq`.
    mutating func keep(_ seq: Int) { keptSeq = max(keptSeq, seq) }

    /// Returns the number to acknowledge, which is `keptSeq`, and notes it as acknowledged. Returns nil if the document
    /// is not attached, or if it knows that number already.
    mutating func acknowledge() -> Int? {
        guard presence == .attached, keptSeq > acknowledgedSeq else { return nil }
        acknowledgedSeq = keptSeq
        return keptSeq
    }

    /// Notes that the document has a connection again. Returns false if the document is gone and needs a new page.
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
