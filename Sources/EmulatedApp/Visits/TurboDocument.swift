import BridgeServer
import BridgeWebKit
import Foundation

/// What is known about Turbo in the document that a session's web view shows. It also finds out why a document that has
/// loaded does not end its visit. On the main actor.
///
/// As on a phone, the visit goes on: the adapter waits for Turbo's event `turbo:load` without end, and says that the page has
/// no Turbo only if neither Turbo nor Turbolinks is there after `Framework.turboLoadTimeout`.
@MainActor final class TurboDocument {
    /// Whether the adapter has reported that Turbo is ready.
    private(set) var isReady = false
    /// Whether the adapter in the document has said whether Turbo is ready.
    private(set) var hasAdapter = false
    /// Whether the load of the document is over.
    private(set) var isLoaded = false
    /// Whether the app has reported that the document has no Turbo.
    private var hasMissedTurbo = false
    /// The task that waits for the adapter after a load; nil if there is none.
    private var search: Task<Void, Never>?
    private weak var session: Session?

    init(of session: Session) { self.session = session }

    var isSearching: Bool { search != nil }
    private var isVisiting: Bool { session?.isVisiting == true }

    /// Notes that the adapter has said whether Turbo is ready.
    func adapterReports(isReady: Bool) {
        (self.isReady, hasAdapter) = (isReady, true)
        if !isReady, isVisiting { missTurbo() }
    }

    /// Forgets what is known, because another document replaces this one.
    func forget() { (isReady, hasAdapter, isLoaded, hasMissedTurbo) = (false, false, false, false) }

    /// Keeps a document that another one was about to replace.
    /// - Parameter isReady: whether Turbo in it is ready to visit.
    func keep(isReady: Bool) { (self.isReady, hasAdapter) = (isReady, isReady) }

    // MARK: The search

    /// The facts about a page without a ready adapter. `lateBy` is the time at which Turbo started, in milliseconds
    /// after the load event.
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

    /// The result of asking a page for its facts.
    private enum Answer {
        case facts(Facts)
        /// The page runs no script of the app.
        case refused
        /// The answer cannot be read. No document sends such an answer, but a stand-in for a page may.
        case unknown
        /// The page has not answered in time, because a script is running.
        case late

        /// Whether the answer cannot change any more. If Turbo has started in time, it may be about to report that it
        /// is ready.
        var isCertain: Bool {
            switch self {
            case .facts(let facts): !facts.hasTurbo || !facts.hasAdapter || facts.lateBy.map { $0 > 0 } ?? false
            case .refused: true
            case .unknown, .late: false
            }
        }
    }

    /// How long a page may take to answer.
    private static let answerTimeout = Duration.seconds(2)
    /// The number of questions without an answer after which a page counts as one that runs no script of the app.
    private static let mostLateAnswers = 3
    /// The longest pause between two questions.
    private static let longestPause = Duration.seconds(60)

    /// Looks for the reason repeatedly, because Turbo may start at any time. The pauses grow.
    func beginSearch(after readyTimeout: Duration) {
        isLoaded = true
        search = Task { [weak self] in
            var (pause, lateAnswers) = (readyTimeout, 0)
            while (try? await Task.sleep(for: pause)) != nil, let self, isVisiting {
                guard await !reportReason(&lateAnswers) else {
                    if !Task.isCancelled { search = nil }
                    return
                }
                pause = max(readyTimeout, min(pause * 2, TurboDocument.longestPause))
            }
        }
    }

    func endSearch() {
        search?.cancel()
        search = nil
    }

    /// Looks for the reason now, if the document has loaded, and reports what is certain already.
    func reportReasonNow() async {
        // Android adds its adapter in the turn after the load event, and its messages may be on their way.
        guard isWaitingForAdapter, (try? await Task.sleep(for: .milliseconds(100))) != nil, isWaitingForAdapter else {
            return
        }
        let answer = await answer()
        guard isWaitingForAdapter, answer.isCertain, report(answer) else { return }
        endSearch()
    }

    private var isWaitingForAdapter: Bool { isSearching && isVisiting && !isReady && !hasAdapter }

    /// Reports, once for each document, that it has no Turbo.
    private func missTurbo() {
        guard !hasMissedTurbo else { return }
        hasMissedTurbo = true
        session?.didMeet(.turboMissing)
    }

    /// - Parameter lateAnswers: how many questions in a row got no answer.
    /// - Returns: whether the search is over.
    private func reportReason(_ lateAnswers: inout Int) async -> Bool {
        guard !isReady else {
            session?.didMeet(.pageLoadedMissing)
            return true
        }
        // The adapter has said that there is no Turbo.
        guard !hasAdapter else { return true }
        let answer = await answer()
        guard !Task.isCancelled, isVisiting, !isReady, !hasAdapter else { return false }
        // On a phone nothing can prevent the adapter from running, so this case has no counterpart there.
        if case .late = answer { lateAnswers += 1 } else { lateAnswers = 0 }
        if (1..<TurboDocument.mostLateAnswers).contains(lateAnswers) { return false }
        return report(answer)
    }

    /// - Returns: whether the search is over.
    private func report(_ answer: Answer) -> Bool {
        guard case .facts(let facts) = answer, facts.hasAdapter else {
            session?.didMeet(.adapterMissing)
            session?.handle(.pageLoadFailed)
            return true
        }
        guard facts.hasTurbo else {
            missTurbo()
            return false
        }
        let seconds = facts.lateBy.flatMap { $0 > 0 ? $0 / 1000 : nil }
        session?.didMeet(.turboLate(seconds: seconds))
        return true
    }

    private func answer() async -> Answer {
        guard let webView = session?.webView else { return .late }
        let question = Question()
        let timeout = Task {
            try? await Task.sleep(for: TurboDocument.answerTimeout)
            question.answer(.late)
        }
        defer { timeout.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                question.continuation = continuation
                guard !Task.isCancelled else { return question.answer(.late) }
                // An app does not evaluate this, so a replay must leave it out.
                ToolScripts.$areRunning.withValue(true) {
                    webView.evaluateJavaScript(Facts.script) { value, error in
                        question.answer(error == nil ? TurboDocument.answer(value) : .refused)
                    }
                }
            }
        } onCancel: {
            timeout.cancel()
        }
    }

    private static func answer(_ value: Any?) -> Answer {
        guard let members = value as? [String: Any], let hasTurbo = members["hasTurbo"] as? Bool,
            let hasAdapter = members["hasAdapter"] as? Bool
        else { return .unknown }
        return .facts(Facts(hasTurbo: hasTurbo, hasAdapter: hasAdapter, lateBy: members["lateBy"] as? Double))
    }

    /// A question that gets the first answer only.
    @MainActor private final class Question {
        var continuation: CheckedContinuation<Answer, Never>?

        func answer(_ answer: Answer) { continuation.take()?.resume(returning: answer) }
    }
}
