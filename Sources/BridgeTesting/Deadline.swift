/// Waits for what another process does, which may never happen.
///
/// - Returns: nil if the time is over. The body is cancelled then, but it goes on until it notices that.
/// - Throws: what the body throws; `CancellationError` if the task that waits is cancelled.
@MainActor package func result<Value: Sendable>(
    within limit: Duration, of body: @escaping @MainActor () async throws -> Value
) async throws -> Value? {
    let (ends, end) = AsyncStream.makeStream(of: Result<Value, any Error>?.self)
    let task = Task { try await body() }
    Task { end.yield(await task.result) }
    let timer = Task {
        // It is cancelled if the body ends first.
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        end.yield(nil)
    }
    defer {
        timer.cancel()
        task.cancel()
    }
    for await first in ends { return try first?.get() }
    throw CancellationError()
}
