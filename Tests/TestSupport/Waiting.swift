import Foundation

/// Waits for a value that a later call provides, like `withCheckedContinuation`, but stops when the test is cancelled.
///
/// A test's time limit cancels it. A test that went on waiting would keep the whole run from ending.
///
/// - Parameter body: stores the continuation, and yields the value when it is available.
/// - Throws: `CancellationError`
public func waitForValue<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: (AsyncStream<Value>.Continuation) -> Void
) async throws -> Value {
    let (values, continuation) = AsyncStream.makeStream(of: Value.self)
    body(continuation)
    for await value in values { return value }
    throw CancellationError()
}

/// Runs blocking work on its own thread, so that it does not block the threads of other tests.
/// - Throws: `CancellationError` if the test is cancelled before the work ends.
public func offThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws -> Value {
    try await waitForValue { continuation in
        Thread { continuation.yield(work()) }.start()
    }
}

/// Waits for a condition of which there is no event, such as a file that another process writes. If there is an event (a
/// record, a call, a message), wait for that instead.
/// - Throws: `CancellationError` if the test's time limit is over, or the error of `isTrue`.
public func waitUntil(
    isolation: isolated (any Actor)? = #isolation, _ isTrue: () throws -> Bool
) async throws {
    while try !isTrue() { try await Task.sleep(for: .milliseconds(5)) }
}
