/// Whether a run of the daemon still lives. A daemon that is killed has no effect any more, even if its code returns
/// from what it was doing.
@MainActor final class Life {
    private(set) var isAlive = true
    /// How many more effects the daemon has; nil if nothing kills it.
    private var effects: Int?

    func end(afterEffects effects: Int) {
        self.effects = effects
        if effects <= 0 { isAlive = false }
    }

    /// Cancels `end(afterEffects:)`.
    func goOn() { effects = nil }

    /// Counts an effect. Returns false if the daemon is killed before it.
    func lasts() -> Bool {
        guard isAlive else { return false }
        guard let left = effects else { return true }
        effects = left - 1
        isAlive = left > 1
        return isAlive
    }
}
