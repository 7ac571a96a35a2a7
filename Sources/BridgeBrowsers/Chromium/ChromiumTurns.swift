import BridgeProtocol

/// Lets pictures of a window, what the pointer does in it, and changes of its screen happen one after another.
///
/// Chromium gives an emulated screen another scale while it takes a picture, and its former size afterwards. A tap
/// meanwhile would land elsewhere, and another size would not last.
@MainActor final class ChromiumTurns {
    /// How long others wait for one. A tap that opens a dialog ends only with the dialog.
    private static let limit = Duration.seconds(5)

    /// Ends when the next one may begin.
    private var last: Task<Void, Never>?

    /// Runs `body` when those before it have ended.
    func take<Value: Sendable>(_ body: @escaping @MainActor () async throws -> Value) async throws -> Value {
        let before = last
        let task = Task {
            await before?.value
            return try await body()
        }
        last = Task {
            await before?.value
            await ChromiumTurns.end(of: task)
        }
        return try await task.value
    }

    /// Waits for the end of a task, or until its time is over.
    private static func end<Value: Sendable>(of task: Task<Value, any Error>) async {
        await withCheckedContinuation { continuation in
            let end = Once<Void> { continuation.resume() }
            let timer = Task {
                try? await Task.sleep(for: limit)
                end(())
            }
            Task {
                _ = try? await task.value
                timer.cancel()
                end(())
            }
        }
    }
}
