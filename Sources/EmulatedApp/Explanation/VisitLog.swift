import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Foundation

/// Records what the app decides and visits: in the traffic log, in the chain that shows a double visit, and in the history
/// that `visits.explain` reads. On the main actor.
@MainActor final class VisitLog {
    private let server: BridgeServer
    private let configuration: EmulatedApp.Configuration
    private var chain = ActionChain()
    private var redirects = Redirects()
    private var history = VisitHistory()
    /// The latest visit in each web view, by the web view's name.
    private var times: [String: VisitTime] = [:]

    /// Whether any page has had Turbo. If none has, the web app does not use it.
    private var hasSeenTurbo = false

    /// How many screens of each stack a record names, from the top.
    private static let maximumNamed = 50

    init(_ server: BridgeServer, _ configuration: EmulatedApp.Configuration) {
        (self.server, self.configuration) = (server, configuration)
    }

    /// Writes a traffic record of the kind `app`.
    /// - Returns: the record's number.
    @discardableResult
    func record(_ event: String, _ fields: [JSONValue.Member], page: Page?) -> Int {
        let fields = fields.map { JSONValue.Member($0.key, redirects.shorten(in: $0.value)) }
        return server.traffic.app(event, fields, page: page)
    }

    /// Keeps the secret parts of a URL out of the log, to which the daemon was redirected when it asked for a page.
    func addRedirect(to url: URL) { redirects.add(url) }

    // MARK: The chain of one action

    /// Adds a step to the chain that follows from an action.
    func add(_ step: String) { chain.add(step) }

    /// Begins a chain with something that the user or the page does on purpose, such as a reload.
    func beginChain(_ step: String) {
        chain.end()
        chain.add(step)
    }

    func endChain() { chain.end() }

    /// Discards the chain of an app that has ended.
    func discardChain() { chain = ActionChain() }

    /// Adds the request of a URL, and reports the second one that an action causes.
    func request(_ url: URL, _ step: String, page: Page?) {
        guard let links = chain.request(url, step) else { return }
        server.traffic.problem(
            .doubleVisit,
            redirects.shorten(in: "\(url) was requested twice for one action: \(links.joined(separator: " → "))."),
            hint: chain.hint
                ?? "Find the script that visits again, such as a click handler on a link that calls Turbo.visit.",
            page: page)
    }

    /// Notes why the next visit in a web view repeats a request.
    func expectRepetition(in webView: String, because cause: RepeatedRequest) {
        chain.add(cause.step, hint: cause.hint)
        history.expectRepetition(in: webView, because: cause)
    }

    // MARK: Decisions and visits

    /// Records a decision of the navigator. Visits that start before ``endDecision()`` belong to it.
    func begin(_ decision: VisitHistory.Decision, cause: String, page: Page?) {
        chain.add(cause)
        let number = record(
            "navigation",
            [
                .init("cause", .string(cause)),
                .init("why", .array(decision.reasons.map { .string($0.text) })),
                .init("effects", .array(decision.effects.map(\.json))),
                .init("main", VisitLog.names(of: decision.after.main)),
                .init("modal", VisitLog.names(of: decision.after.modal)),
            ], page: page)
        history.begin(decision, cause: cause, record: number)
    }

    func endDecision() { history.endDecision() }

    /// Returns the names of the topmost screens of a stack. Long names are cut, because each step repeats them.
    private static func names(of stack: [Screen]) -> JSONValue {
        .array(stack.suffix(maximumNamed).map { .string(PageText.cut($0.name, to: PageText.repeatedName)) })
    }

    func beginVisit(of url: URL, kind: String, _ options: VisitOptions, in webView: String, page: Page?) {
        let hasResponse = options.response?.responseHTML != nil
        let step = "\(kind) of \(url), \(options.action.rawValue)"
        // A restore visit may need no request, and a visit with a response needs none.
        if options.action == .restore || hasResponse { add(step) } else { request(url, step, page: page) }
        let number = record(
            "visit",
            [
                .init("location", .string(url.absoluteString)), .init("visit", .string(kind)),
                .init("action", .string(options.action.rawValue)),
            ], page: page)
        times[webView] = VisitTime(record: number, began: server.traffic.clock.timestamp)
        history.add(
            VisitHistory.Visit(
                record: number, webView: webView, url: url, kind: kind, action: options.action,
                hasResponse: hasResponse),
            cause: chain.links.dropLast().last ?? "the app loads \(url)")
    }

    /// Records the end of the visit in a web view.
    /// - Parameter error: the error as `app.state` shows it; nil if the visit has succeeded.
    func endVisit(of url: URL, error: JSONValue? = nil, in webView: String, page: Page?) {
        chain.end()
        times[webView]?.ended = server.traffic.clock.timestamp
        let location = JSONValue.Member("location", .string(url.absoluteString))
        let number =
            error.map { record("visitFailed", [location, .init("error", $0)], page: page) }
            ?? record("visitCompleted", [location], page: page)
        history.endVisits(in: webView, record: number)
    }

    func webViewHasTurbo() { hasSeenTurbo = true }

    /// Reports a problem of a visit or a form. The screen shows a visit's error in any case.
    func report(_ problem: VisitProblem, in webView: String, page: Page?) {
        guard problem != .turboMissing || hasSeenTurbo else { return }
        server.traffic.problem(problem.code, problem.text, hint: problem.hint, page: page)
        history.add(
            VisitHistory.Problem(text: "\(problem.text) \(problem.hint)", url: problem.response?.url), in: webView,
            record: server.traffic.lastRecord,
            cause: problem.response.map { "the page sends \($0.method) \($0.url.pathAndQuery)" })
    }

    /// How long ago the latest visit in a web view began; nil if there was none.
    func timeSinceVisit(in webView: String) -> Duration? {
        times[webView].map { .microseconds(server.traffic.clock.timestamp.microseconds - $0.began.microseconds) }
    }

    /// Lets the requests of a driven page name the visits that caused them.
    func nameVisitsOfRequests(in webView: String) {
        server.scope(for: webView)?.visitOfRequest = { [weak self] request, page in
            guard let self, page.webView == webView, let visit = times[webView] else { return nil }
            return visit.caused(request, at: server.traffic.clock.timestamp) ? visit.record : nil
        }
    }

    /// Explains the latest visits.
    /// - Parameters:
    ///   - url: only visits of this URL and decisions about it; nil for all.
    ///   - last: how many of the latest visits to explain.
    func explanations(to url: URL? = nil, last: Int = .max) -> [VisitExplanation] {
        VisitExplainer(history, server.traffic, configuration).explanations(to: url, last: last)
    }
}

/// When a visit began and ended, and the number of its record.
struct VisitTime {
    let record: Int
    let began: Timestamp
    var ended: Timestamp?

    /// Whether the visit caused a request that has just finished.
    func caused(_ request: FinishedRequest, at now: Timestamp) -> Bool {
        let milliseconds = min(max(0, request.milliseconds ?? 0), 86_400_000)
        let requested = now.microseconds - Int64(milliseconds * 1_000)
        // A visit may adopt a load that the browser began before the visit.
        guard requested >= began.microseconds || request.type == "document" else { return false }
        return ended.map { requested <= $0.microseconds } ?? true
    }
}
