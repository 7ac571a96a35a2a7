import Dispatch

/// The thread on which an archive's calls run, because they may block. A simulation runs them itself.
@MainActor package protocol ArchiveThread {
    /// Runs `call` away from the main actor, and then `ended` on it. The next call comes after that.
    func run(_ call: @escaping @Sendable () -> Void, ended: @escaping @MainActor @Sendable () -> Void)
    /// Waits for the latest call.
    /// - Returns: whether it has ended. `ended` may still follow.
    func wait(for time: Duration) -> Bool
}

/// A dispatch queue.
final class ArchiveQueue: ArchiveThread {
    private let queue = DispatchQueue(label: "bridged.archive")
    private let calls = DispatchGroup()

    func run(_ call: @escaping @Sendable () -> Void, ended: @escaping @MainActor @Sendable () -> Void) {
        queue.async(group: calls) {
            call()
            DispatchQueue.main.async { MainActor.assumeIsolated(ended) }
        }
    }

    func wait(for time: Duration) -> Bool { calls.wait(timeout: .now() + max(0, time.seconds)) == .success }
}
