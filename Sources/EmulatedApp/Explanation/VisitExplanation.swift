public import BridgeProtocol
import Foundation

/// The explanation of one visit for `visits.explain`: why the app shows a page, and who made each request for it.
public struct VisitExplanation: Sendable {
    /// A request for a page or by a form, and why it was made.
    public struct Request: Sendable {
        /// The number of its record.
        public let record: Int
        public let method: String
        public let url: String
        /// The status of the response; nil if none came.
        public let status: Int?
        /// Why it failed, in the browser's words; nil if it did not.
        public let failure: String?
        /// The cause of the request, in words.
        public let because: String
    }

    /// What a group of releases does from the same screens.
    public struct Elsewhere: Sendable {
        /// The releases, such as `ios@1.2`.
        public internal(set) var frameworks: [String]
        /// Whether they do what the app did.
        public let isSame: Bool
        public let main: [String]
        public let modal: [String]
        public let why: [String]
        /// What they visit, each as a text such as "refresh http://localhost:3000/posts in main".
        public let visits: [String]
    }

    /// The number of the first record that belongs to it.
    public let record: Int
    /// What happened, such as "the page proposes advance /posts".
    public let cause: String
    /// Which rules moved the stacks.
    public let why: [String]
    /// The stacks before and after; nil if the step did not depend on them.
    public let before: StackLine?
    public let after: StackLine?
    /// The requests, in the order in which they ended.
    public let requests: [Request]
    /// How many other requests ended meanwhile, such as those for images.
    public let otherRequests: Int
    /// What happened to the response that could show a message of the server once, such as Rails' flash.
    public let flash: String?
    /// Facts that may surprise a developer, such as a second request for the same page.
    public let findings: [String]
    /// The other releases, in groups; empty if the step did not depend on the stacks.
    public internal(set) var elsewhere: [Elsewhere] = []
}

// MARK: Explaining

/// A request that has ended, as the log has it.
struct EndedRequest {
    let record: Int
    let webView: String?
    /// Microseconds since 1970.
    let began: Int64
    let ended: Int64
    let request: FinishedRequest
    /// The number of the record of the visit that it belongs to.
    let visit: Int?

    /// Whether it is for a page or from a form, rather than for a part of a page.
    fileprivate var isForPage: Bool {
        if request.type == "document" || request.method != "GET" { return true }
        // WebKit does not report the type of a request.
        guard request.type == "fetch" || request.type == nil else { return false }
        return isRedirected || request.mimeType.map { $0.contains("html") } ?? (request.failure != nil)
    }

    fileprivate var isRedirected: Bool { request.status.map { (300..<400).contains($0) } ?? false }

    fileprivate var text: String { "\(request.method) \(request.url.pathAndQuery)" }

    fileprivate func isFor(_ url: URL) -> Bool {
        request.url.prefix { $0 != "#" } == url.absoluteString.prefix { $0 != "#" }
    }
}

extension VisitExplanation {
    /// Explains an entry of the history.
    /// - Parameter ended: the requests that ended since the visits of the entry before it, in the order of their records.
    init(_ entry: VisitHistory.Entry, _ ended: [EndedRequest]) {
        let explained = ExplainedRequests(entry, ended)
        record = entry.record
        cause = entry.cause
        why = entry.decision?.reasons.map(\.text) ?? []
        before = entry.decision.map { StackLine($0.before.state) }
        after = entry.decision.map { StackLine($0.after) }
        requests = explained.requests.map {
            Request(
                record: $0.ended.record, method: $0.ended.request.method, url: $0.ended.request.url,
                status: $0.ended.request.status, failure: $0.ended.request.failure, because: $0.reason.text)
        }
        otherRequests = ended.count { !$0.isForPage }
        flash = explained.flash
        findings = explained.findings
    }
}

/// The requests of an entry, with the cause of each.
private struct ExplainedRequests {
    enum Reason {
        case coldBoot, turbo, refresh, pageRefresh, form, formOfTurbo, page
        /// A second attempt, with its cause; nil if the cause is unknown.
        case repetition(RepeatedRequest?)
        case redirect(of: EndedRequest, isOfForm: Bool)

        var text: String {
            switch self {
            case .coldBoot: "the app loads the page into the web view (a cold boot)"
            case .turbo: "Turbo requests the page for the app's visit"
            case .refresh: "the app refreshes the screen that it shows again"
            case .repetition(let cause?): cause.step
            case .repetition(nil): "the app loads the page once more by a cold boot"
            case .pageRefresh: "Turbo refreshes the page that it shows"
            case .form: "the browser sends a form"
            case .formOfTurbo: "the page sends it: Turbo for a form, or a script"
            case .page: "the page asks for it by itself: Turbo for a frame or a prefetch, or a script"
            case .redirect(let origin, _): "the browser follows the redirect of \(origin.text)"
            }
        }
    }

    let entry: VisitHistory.Entry
    /// In the order in which they ended, so that a redirect comes before the request that follows it.
    private(set) var requests: [(ended: EndedRequest, reason: Reason)] = []
    /// The latest redirected requests that no request has followed yet. A page can make thousands of them.
    private var redirects: [(ended: EndedRequest, reason: Reason)] = []
    private static let mostRedirects = 100

    init(_ entry: VisitHistory.Entry, _ ended: [EndedRequest]) {
        self.entry = entry
        for request in ended where request.isForPage { add(request) }
    }

    private mutating func add(_ ended: EndedRequest) {
        let request = (ended: ended, reason: reason(of: ended))
        requests.append(request)
        guard ended.isRedirected else { return }
        redirects.append(request)
        if redirects.count > ExplainedRequests.mostRedirects { redirects.removeFirst() }
    }

    private mutating func reason(of ended: EndedRequest) -> Reason {
        if ended.request.method != "GET" { return ended.request.type == "document" ? .form : .formOfTurbo }
        if let index = redirects.lastIndex(where: { follows(ended, $0.ended) }) {
            let origin = redirects.remove(at: index)
            return .redirect(of: origin.ended, isOfForm: isOfForm(origin))
        }
        guard let visit = entry.visits.last(where: { $0.record == ended.visit }), ended.isFor(visit.url) else {
            return ended.request.type == "document" ? .coldBoot : .page
        }
        if isRefresh(visit) { return .refresh }
        switch visit.kind {
        case "coldBoot":
            return visit.repetition != nil || isRepeated(visit) ? .repetition(visit.repetition) : .coldBoot
        case "pageRefresh": return .pageRefresh
        default: return .turbo
        }
    }

    /// Whether a request follows a redirect: it is the first of its kind and web view after it, and was sent at once.
    private func follows(_ next: EndedRequest, _ origin: EndedRequest) -> Bool {
        abs(next.began - origin.ended) < 1_000_000 && next.webView == origin.webView
            && next.request.type == origin.request.type
    }

    private func isOfForm(_ origin: (ended: EndedRequest, reason: Reason)) -> Bool {
        if case .redirect(_, let isOfForm) = origin.reason { return isOfForm }
        return origin.ended.request.method != "GET"
    }

    private func isRefresh(_ visit: VisitHistory.Visit) -> Bool {
        entry.decision?.effects.contains {
            if case .visit(let order) = $0 { order.kind == .refresh && order.url == visit.url } else { false }
        } ?? false
    }

    /// Whether a visit repeats an earlier one of the same entry.
    private func isRepeated(_ visit: VisitHistory.Visit) -> Bool {
        entry.visits.contains { $0.record < visit.record && $0.url == visit.url && $0.webView == visit.webView }
    }

    // MARK: What it means

    /// The page that followed a form's redirect, which a server renders with its message.
    private var result: EndedRequest? {
        requests.first { request in
            guard case .redirect(_, isOfForm: true) = request.reason else { return false }
            return !request.ended.isRedirected && request.ended.request.status.map { $0 < 300 } ?? false
        }?.ended
    }

    /// The visit that shows the page after a form.
    private func visit(showing result: EndedRequest) -> VisitHistory.Visit? {
        entry.visits.last { result.isFor($0.url) }
    }

    private func secondRequest(_ result: EndedRequest) -> EndedRequest? {
        requests.first { $0.ended.record > result.record && $0.ended.request.url == result.request.url }?.ended
    }

    var flash: String? {
        guard let result else { return nil }
        if result.request.type == "document" { return "\(result.text) can show it, and the browser shows that page." }
        if let again = secondRequest(result) {
            return """
                Lost, if the server shows it once: \(result.text) (record \(result.record)) had it, but the app shows \
                the response of the second request (record \(again.record)).
                """
        }
        guard visit(showing: result) != nil else {
            return """
                Lost, if the server shows it once: \(result.text) (record \(result.record)) had it, and no visit shows \
                that response.
                """
        }
        return "\(result.text) can show it, and the app shows that response without another request."
    }

    var findings: [String] {
        let gets = Dictionary(grouping: requests.filter { $0.ended.request.method == "GET" }, by: \.ended.request.url)
        var findings = entry.problems.map(\.text)
        for (ended, _) in requests {
            let url = ended.request.url
            guard let same = gets[url], same.count > 1, same.first?.ended.record == ended.record else { continue }
            let reasons = same.map { "record \($0.ended.record): \($0.reason.text)" }.joined(separator: "; ")
            findings.append("\(url.pathAndQuery) was requested \(same.count) times. \(reasons).")
        }
        return findings
    }
}

// MARK: Writing

extension VisitExplanation: JSONObject {
    public var members: JSONMembers {
        [
            "record": record, "cause": cause, "why": why, "before": before, "after": after, "requests": requests,
            "otherRequests": otherRequests, "flash": flash, "findings": findings, "elsewhere": elsewhere,
        ]
    }
}

extension VisitExplanation.Request: JSONObject {
    public var members: JSONMembers {
        [
            "record": record, "method": method, "url": url, "status": status, "failure": failure, "because": because,
        ]
    }
}

extension VisitExplanation.Elsewhere: JSONObject {
    public var members: JSONMembers {
        [
            "frameworks": frameworks, "isSame": isSame, "main": main, "modal": modal, "why": why, "visits": visits,
        ]
    }
}

extension String {
    /// The path and the query of a URL; the whole text if it is none.
    package var pathAndQuery: String {
        guard let url = URLComponents(string: self), url.host != nil else { return self }
        return (url.path.isEmpty ? "/" : url.path) + (url.query.map { "?\($0)" } ?? "")
    }
}
