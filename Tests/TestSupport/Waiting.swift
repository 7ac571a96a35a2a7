import Foundation

/// Waits for what a later call brings, as `withCheckedContinuation` does, but no longer than its test: the time limit
/// cancels, and a test that went on waiting would keep the whole run from ending.
///
/// - Parameter body: keeps the continuation, and yields the value when it is there.
/// - Throws: `CancellationError`
public func waitForValue<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: (AsyncStream<Value>.Continuation) -> Void
) async throws -> Value {
    let (values, continuation) = AsyncStream.makeStream(of: Value.self)
    body(continuation)
    for await value in values { return value }
    throw CancellationError()
}

/// Runs blocking work on a thread of its own, so that it can't starve the tests that run beside it.
/// - Throws: `CancellationError` where the test is over before the work.
public func offThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws -> Value {
    try await waitForValue { continuation in
        Thread { continuation.yield(work()) }.start()
    }
}
