/// What an action of the emulated app does: why the stacks change as they do, and whether the page gets what the action
/// sends to it, such as the reply of a bridge component.
@MainActor public final class ActionResult {
    /// The result of the action that is being performed.
    @TaskLocal public static var current: ActionResult?

    /// Why the app navigated as it did; empty if it did not navigate.
    public var why: [String] = []
    /// Whether the action has begun a visit.
    public var beginsVisit = false
    /// The number of replies that the page does not have yet.
    private var count = 0
    private var failure: String?
    private var waiter: CheckedContinuation<Void, Never>?

    public nonisolated init() {}

    /// Notes a reply that the page does not have yet.
    public func begin() { count += 1 }

    /// Notes that the page has a reply, or why it will not have it.
    public func end(_ failure: String? = nil) {
        count -= 1
        if let failure { fail(failure) }
        if count <= 0 { resume() }
    }

    /// Notes a reply that was not sent.
    public func fail(_ text: String) { failure = failure ?? text }

    /// Waits until the page has every reply, for at most two seconds: a page may open a dialog when it gets a reply,
    /// and then cannot confirm the others.
    ///
    /// - Throws: ``ActionRefusal`` if a reply is lost.
    public func arrive() async throws(ActionRefusal) {
        if count > 0 {
            let timer = Task { [weak self] in
                guard (try? await Task.sleep(for: .seconds(2))) != nil else { return }
                self?.resume()
            }
            await withCheckedContinuation { waiter = $0 }
            timer.cancel()
        }
        if let failure { throw ActionRefusal(failure) }
    }

    private func resume() {
        waiter?.resume()
        waiter = nil
    }
}
