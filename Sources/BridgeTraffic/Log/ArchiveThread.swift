import Dispatch

/// The thread on which an archive's calls run, because they may block. A simulation runs them itself.
@MainActor package protocol ArchiveThread {
    /// Runs `call` away from the main actor, again and again until it returns false, and each time also `ended` on the main
    /// actor, for which the next call does not wait.
    func run(_ call: @escaping @Sendable () -> Bool, ended: @escaping @MainActor @Sendable () -> Void)
    /// Waits until no call runs or is to run.
    /// - Returns: whether that is so. `ended` may still follow.
    func wait(for time: Duration) -> Bool
}

/// A dispatch queue.
final class ArchiveQueue: ArchiveThread {
    private let queue = DispatchQueue(label: "bridged.archive")
    private let calls = DispatchGroup()

    func run(_ call: @escaping @Sendable () -> Bool, ended: @escaping @MainActor @Sendable () -> Void) {
        queue.async(group: calls) {
            var goesOn = true
            while goesOn {
                goesOn = call()
                DispatchQueue.main.async { MainActor.assumeIsolated(ended) }
            }
        }
    }

    func wait(for time: Duration) -> Bool { calls.wait(timeout: .now() + max(0, time.seconds)) == .success }
}
