import Foundation
import Synchronization

/// A call of a tool. Its client can cancel it, from another thread than its own.
final class MCPCall: Sendable {
    private struct State {
        var isCancelled = false
        var onCancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    func cancel() {
        let onCancel = state.withLock { state in
            state.isCancelled = true
            return state.onCancel.take()
        }
        onCancel?()
    }

    /// Calls `body` when the call is cancelled, or at once if it has been.
    func onCancel(_ body: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.onCancel = body }
            return state.isCancelled
        }
        if isCancelled { body() }
    }
}
