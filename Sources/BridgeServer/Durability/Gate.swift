import BridgeProtocol
import BridgeTraffic
import DequeModule

/// Holds back what the daemon must not tell a page yet, because it would not know it any more if it were killed.
///
/// There are two marks. A record is *kept* when the log and the database have it: then the messages up to it are
/// acknowledged, and calls get their answers. It is *confirmed* when another daemon would know it, too: then replies and
/// evaluations go out. Only a durable cluster has to confirm; elsewhere they go out at once. On the main actor.
@MainActor package final class Gate {
    /// How long the answer to a call waits for the log, because the call blocks the page.
    private static let answerDelay = Duration.milliseconds(100)

    private let traffic: TrafficLog
    private let deadlines: Deadlines
    private var untilKept = Actions()
    private var untilConfirmed = Actions()

    /// The keeper of the pages' states in a durable cluster; nil elsewhere. The cluster owns it, so the reference is
    /// weak.
    package var keeper: (any PageKeeper)? {
        get { hasKeeper ? weakKeeper : nil }
        set { (weakKeeper, hasKeeper) = (newValue, newValue != nil) }
    }
    private weak var weakKeeper: (any PageKeeper)?
    /// Each message asks several times whether there is a keeper, and reading a weak reference is not free.
    private(set) var hasKeeper = false

    init(_ traffic: TrafficLog, _ deadlines: Deadlines) {
        (self.traffic, self.deadlines) = (traffic, deadlines)
        traffic.onKept { [weak self] in self?.openForKept() }
    }

    // MARK: Kept records

    /// Writes all records so far.
    /// - Returns: whether all of them are kept now.
    func keepAll() -> Bool {
        let record = traffic.lastRecord
        traffic.flush()
        return traffic.keptThrough >= record
    }

    /// Calls `action` when a record is kept.
    /// - Parameter record: is not before those of earlier calls.
    func whenKept(_ record: Int, _ action: @escaping @MainActor () -> Void) { untilKept.add(after: record, action) }

    /// Calls `respond` with true when all records so far are kept, or with false if that takes too long.
    func whenAllIsKept(_ respond: @escaping @MainActor (Bool) -> Void) {
        let record = traffic.lastRecord
        guard !keepAll() else { return respond(true) }
        let answer = Once(respond)
        whenKept(record) { answer(true) }
        deadlines.schedule(after: Gate.answerDelay) { answer(false) }
    }

    private func openForKept() {
        let record = traffic.keptThrough
        // Taken one by one, because an action may add others.
        while let action = untilKept.take(through: record) { action() }
    }

    // MARK: Confirmed records

    /// Whether all records so far are confirmed. Without a keeper no record has to be.
    var allIsConfirmed: Bool {
        guard let keeper else { return true }
        return keeper.confirmedRecord >= traffic.lastRecord
    }

    /// Calls `action` when all records so far are confirmed: at once if they are.
    func whenAllIsConfirmed(_ action: @escaping @MainActor () -> Void) {
        guard !allIsConfirmed else { return action() }
        untilConfirmed.add(after: traffic.lastRecord, action)
    }

    /// Sends the outcome of a message when all records so far are confirmed, and only on the page's present connection:
    /// a page that attaches anew meanwhile asks for the replies that it lacks. Sends nothing if another daemon owns the
    /// page by then.
    func send(to page: Page, _ write: @escaping @Sendable (inout JSONWriter) -> Void) {
        // Without a wait no closure is made, which would cost time.
        guard !allIsConfirmed else {
            page.channel?.send(write)
            return
        }
        whenAllIsConfirmed { [channel = page.channel] in
            if !page.ownership.hasMovedAway { channel?.send(write) }
        }
    }

    /// Tells the keeper, if there is one, about a change of a page.
    func note(_ change: PageChange, of page: Page) {
        guard let keeper, !page.ownership.hasMovedAway else { return }
        let kept = KeptPage(document: page.document, epoch: page.ownership.epoch, page: page.id)
        if !page.ownership.isNoted {
            page.ownership.isNoted = true
            keeper.note(.began(run: page.ownership.run, origin: page.identity.origin?.text), of: kept)
        }
        keeper.note(change, of: kept)
    }

    /// Calls the actions that have waited for the records that the keeper has confirmed.
    package func openForConfirmed() {
        guard let record = keeper?.confirmedRecord else { return }
        while let action = untilConfirmed.take(through: record) { action() }
    }
}

/// Actions that wait for records, in the order of the records.
private struct Actions {
    private var entries: Deque<(record: Int, action: @MainActor () -> Void)> = []

    /// - Parameter record: is not before those of earlier actions.
    mutating func add(after record: Int, _ action: @escaping @MainActor () -> Void) { entries.append((record, action)) }

    /// Removes and returns the first action, if its record is not after `record`.
    mutating func take(through record: Int) -> (@MainActor () -> Void)? {
        guard let first = entries.first, first.record <= record else { return nil }
        return entries.removeFirst().action
    }
}
