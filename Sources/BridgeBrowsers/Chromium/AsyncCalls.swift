import Foundation

/// The functions of `callAsyncJavaScript` that run in a window of Chromium.
///
/// WebKit ends a function whose promise can no longer be settled, once it has collected the promise. Chromium may never
/// collect it in a page that does nothing else, so its driver asks for that if a function takes long. On the main
/// actor.
@MainActor final class AsyncCalls {
    /// How long the functions may run until garbage is collected. A collection takes some milliseconds.
    private static let patience = Duration.seconds(2)

    private var running = 0
    private var timer: Task<Void, Never>?

    /// A function begins.
    /// - Parameter collect: collects garbage. Functions that begin soon after one another share a collection.
    func begin(collect: @escaping @MainActor () -> Void) {
        running += 1
        guard timer == nil else { return }
        timer = Task { [weak self] in
            try? await Task.sleep(for: AsyncCalls.patience)
            guard let self, !Task.isCancelled else { return }
            timer = nil
            collect()
        }
    }

    func end() {
        running -= 1
        guard running == 0 else { return }
        timer?.cancel()
        timer = nil
    }
}
