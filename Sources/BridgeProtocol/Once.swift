/// A closure that is called at most once. It is released when it is called. On the main actor.
@MainActor package final class Once<Value> {
    private var body: (@MainActor (Value) -> Void)?

    package init(_ body: @escaping @MainActor (Value) -> Void) { self.body = body }

    /// Whether the closure can still be called.
    package var isPending: Bool { body != nil }

    /// Calls the closure, unless it was called or cancelled before.
    package func callAsFunction(_ value: Value) { body.take()?(value) }

    /// Releases the closure without a call.
    /// - Returns: whether it could still have been called.
    package func cancel() -> Bool { body.take() != nil }
}
