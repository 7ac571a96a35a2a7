import BridgeTraffic

/// Gives a page to one action after the other: the keys of two tools that type at once would mix. On the main actor.
@MainActor final class GestureQueue {
    private let waiters: Waiters<Int>
    /// The turns that were asked for, the oldest first. The first one has the page.
    private var turns: [Int] = []
    private var count = 0

    init(_ deadlines: Deadlines) { waiters = Waiters(deadlines: deadlines) }

    /// Waits until all earlier turns have ended.
    /// - Returns: the number of the turn; nil if the time is over first.
    fileprivate func take(before deadline: ContinuousClock.Instant) async -> Int? {
        count += 1
        let turn = count
        turns.append(turn)
        if turns.first == turn { return turn }
        if await waiters.next(within: max(.zero, deadline - .now), where: { $0 == turn }) != nil { return turn }
        end(turn)
        return nil
    }

    fileprivate func end(_ turn: Int) {
        let hadPage = turns.first == turn
        turns.removeAll { $0 == turn }
        if hadPage, let next = turns.first { waiters.offer(next) }
    }
}

/// The turn of one action. On the main actor.
@MainActor final class GestureTurn {
    private var held: (queue: GestureQueue, turn: Int)?

    /// Waits until the action has the page for itself, until ``end()``.
    /// - Returns: false if the time is over first.
    func begin(in page: Page, before deadline: ContinuousClock.Instant) async -> Bool {
        let queue = page.gestures
        if held?.queue === queue { return true }
        end()
        held = await queue.take(before: deadline).map { (queue, $0) }
        return held != nil
    }

    func end() {
        if let (queue, turn) = held.take() { queue.end(turn) }
    }
}
