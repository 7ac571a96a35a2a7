import BridgeProtocol
import BridgeWebKit
import Foundation

/// Finds out why a page that has loaded does not end its visit.
///
/// As on a phone, the visit goes on: the adapter waits for Turbo's event `turbo:load` without end, and says that the page has
/// no Turbo only if neither Turbo nor Turbolinks is there after `Framework.turboLoadTimeout`.
extension Session {
    /// What a page without a ready adapter has. `lateBy` is when Turbo started, in milliseconds after the load event.
    private struct Facts {
        let hasTurbo: Bool
        let hasAdapter: Bool
        let lateBy: Double?

        static let script = """
            (() => {
              const [load] = performance.getEntriesByType("navigation")
              const [start] = performance.getEntriesByName("turbo starts")
              const lateBy = load && start ? start.startTime - load.loadEventStart : null
              return { hasTurbo: !!(window.Turbo || window.Turbolinks), hasAdapter: !!window.turboNative, lateBy }
            })()
            """
    }

    /// Looks for the reason again and again, because Turbo may start at any time.
    func waitForAdapter() {
        readiness = Task { [weak self, readyTimeout] in
            while (try? await Task.sleep(for: readyTimeout)) != nil, let self, isVisiting {
                guard await !reportReason() else { return }
            }
        }
    }

    func missTurbo() {
        guard !hasMissedTurbo else { return }
        hasMissedTurbo = true
        delegate?.session(self, didMeet: .turboMissing)
    }

    /// - Returns: whether nothing is left to look for.
    private func reportReason() async -> Bool {
        guard !isTurboReady else {
            delegate?.session(self, didMeet: .pageLoadedMissing)
            return true
        }
        // The adapter has said that there is no Turbo.
        guard !hasAdapter else { return true }
        let facts = await facts()
        guard !Task.isCancelled, isVisiting, !isTurboReady, !hasAdapter else { return false }
        // On a phone nothing can keep the adapter out of the page, so there is no other end to imitate.
        guard let facts, facts.hasAdapter else {
            delegate?.session(self, didMeet: .adapterMissing)
            handle(.pageLoadFailed)
            return true
        }
        guard facts.hasTurbo else {
            missTurbo()
            return false
        }
        let seconds = facts.lateBy.flatMap { $0 > 0 ? $0 / 1000 : nil }
        delegate?.session(self, didMeet: .turboLate(seconds: seconds))
        return true
    }

    /// - Returns: nil if the page runs no script of the app.
    private func facts() async -> Facts? {
        await withCheckedContinuation { continuation in
            webView.evaluateJavaScript(Facts.script) { value, _ in
                let facts = (value as? [String: Any]).flatMap { members -> Facts? in
                    guard let hasTurbo = members["hasTurbo"] as? Bool, let hasAdapter = members["hasAdapter"] as? Bool
                    else { return nil }
                    return Facts(hasTurbo: hasTurbo, hasAdapter: hasAdapter, lateBy: members["lateBy"] as? Double)
                }
                continuation.resume(returning: facts)
            }
        }
    }
}
