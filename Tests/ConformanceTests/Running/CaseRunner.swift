import Foundation

/// Runs one case with its own web view, and returns its outcome in the format of the recordings. On the main actor.
@MainActor final class CaseRunner {
    /// A case needs something that the runner does not support, so it fails.
    struct Unsupported: Error, CustomStringConvertible {
        let description: String
    }

    /// The time limit of evaluations that have no time limit of their own.
    static let patience = Duration.seconds(8)
    /// The time limit for loading a document. A document that can't run bridge.js never reports that it has loaded.
    private static let loadPatience = Duration.seconds(5)

    let recordedCase: RecordedCase
    let native: NativeSide
    let placeholders: Placeholders
    let replies: Replies
    let changes = Changes()
    private(set) var entries: [Entry] = []
    private var messageTimes: [ContinuousClock.Instant] = []
    private(set) var finishedLoads = 0
    private(set) var committedLoads = 0
    var results: [String: StepResult] = [:]
    /// Evaluations that one step has started and another step collects.
    var started: [String: Later<NativeResult>] = [:]
    private let site: Site
    private let window: any CaseWindow
    private let blank: String

    /// - Parameters:
    ///   - blank: the URL of the web view's initial empty document.
    ///   - evaluateElsewhere: evaluates script in another page than that of the case.
    init(
        _ recordedCase: RecordedCase, site: Site, native: NativeSide, window: any CaseWindow, blank: String,
        evaluateElsewhere: @escaping Replies.Evaluate
    ) {
        self.recordedCase = recordedCase
        self.site = site
        self.native = native
        self.window = window
        self.blank = blank
        placeholders = site.placeholders
        replies = Replies(
            evaluateInPage: { native.evaluate($0, sourceURL: nil, world: nil, completion: $1) },
            evaluateElsewhere: evaluateElsewhere)
        native.onEvent = { [weak self] in self?.record($0) }
    }

    /// - Throws: `Unsupported` if the case needs something that the runner does not support.
    func run() async throws -> Outcome {
        for handler in recordedCase.handlers where !native.register(handler) {
            throw Unsupported(description: "a handler in the content world \(handler.world ?? "")")
        }
        for script in recordedCase.userScripts ?? [] { native.add(script) }
        await showPage()
        var outcome = try await perform()
        await settle()
        outcome.entries = entries
        return outcome
    }

    private func perform() async throws -> Outcome {
        switch recordedCase.kind {
        case "post": .page(try await answer("startPost", recordedCase.script ?? ""))
        case "surface" where recordedCase.async == true:
            .page(try await answer("startAsync", recordedCase.script ?? ""))
        case "surface": .page(try await runInPage(recordedCase.script ?? ""))
        case "evaluate": .native(await evaluate(recordedCase.script ?? "", sourceURL: recordedCase.sourceURL))
        case "callAsync": .native(await callAsync(recordedCase.body ?? "", recordedCase.args, recordedCase.argTypes))
        case "steps": .steps(try await runSteps())
        default: throw Unsupported(description: "the kind \(recordedCase.kind)")
        }
    }

    /// Waits for messages of other frames, which use other connections and may still be on their way.
    private func settle() async {
        let expected = recordedCase.expect["delivered"] ?? recordedCase.expect["messages"]
        let count = expected?.elements?.count ?? expected?["count"]?.number.map { Int($0) } ?? 0
        await changes.wait(upTo: .seconds(1)) { self.entries.count >= count }
    }

    // MARK: Events

    private func record(_ event: NativeSide.Event) {
        switch event {
        case .loadStarted: markLoad("load started")
        case .loadCommitted:
            committedLoads += 1
            markLoad("load committed")
        case .loadFinished:
            finishedLoads += 1
            markLoad("load finished")
        case .message(let handler, let body, let reply):
            entries.append(.message(handler: handler, body: body))
            messageTimes.append(.now)
            if let reply { replies.answer(body, mode: mode(of: handler), reply) }
        }
        changes.changed()
    }

    private func markLoad(_ text: String) {
        if recordedCase.markLoads == true { mark(text) }
    }

    func mark(_ text: String) { entries.append(.mark(text)) }

    var messageCount: Int { messageTimes.count }

    /// The time between the first and the last message.
    var messageGap: Duration {
        guard let first = messageTimes.first, let last = messageTimes.last else { return .zero }
        return last - first
    }

    private func mode(of handler: String) -> String {
        let steps = recordedCase.steps ?? []
        return recordedCase.handlers.first { $0.name == handler }?.reply
            ?? steps.first { $0.do == "register" && $0.name == handler }?.reply ?? "echo"
    }

    // MARK: Loading

    /// Shows the case's page, or the web view's initial empty document. Loading the latter does not count.
    private func showPage() async {
        let url = recordedCase.page.map(url)
        if window.beginsEmpty { return await showPageInEmptyWindow(url) }
        if let url { native.load(url) }
        for anew in [false, true] where committedLoads == 0 {
            await finishLoad {
                if url == nil, !anew { return window.showEmpty(webView: native.name) }
                window.show(url ?? blank, webView: native.name, anew: anew)
            }
        }
        if url == nil { forgetLoads() }
    }

    private func showPageInEmptyWindow(_ url: String?) async {
        window.showEmpty(webView: native.name)
        guard await native.hasPage(within: CaseRunner.loadPatience), let url else { return }
        await finishLoad { native.load(url) }
    }

    private func forgetLoads() {
        entries = []
        finishedLoads = 0
        committedLoads = 0
    }

    private func url(_ text: String) -> String { text.hasPrefix("/") ? site.origin + text : placeholders.fill(text) }

    /// Loads a URL and waits until it has finished loading.
    /// - Parameter wait: `committed` waits only for that, and `none` for nothing.
    func load(_ url: String, wait: String? = nil) async {
        let finished = finishedLoads
        let committed = committedLoads
        native.load(self.url(url))
        guard wait != "none" else { return }
        await changes.wait(upTo: CaseRunner.loadPatience) {
            wait == "committed" ? self.committedLoads > committed : self.finishedLoads > finished
        }
    }

    /// Runs `begin`, which starts to load a document, and waits until it has finished loading.
    func finishLoad(_ begin: () async -> Void) async {
        let finished = finishedLoads
        await begin()
        await changes.wait(upTo: CaseRunner.loadPatience) { self.finishedLoads > finished }
    }
}
