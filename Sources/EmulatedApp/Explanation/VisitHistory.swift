import Foundation

/// The app's latest decisions and visits, from which `visits.explain` tells why a page was requested. It is a value type
/// and does no I/O.
struct VisitHistory {
    /// An event that made the app navigate or load, and the visits that followed.
    struct Entry {
        /// What happened, such as "the page proposes advance /posts".
        let cause: String
        /// The number of the first record that belongs to it.
        let record: Int
        /// The navigator's decision; nil if the navigator was not asked, as for a pull to refresh.
        let decision: Decision?
        fileprivate(set) var visits: [Visit] = []
        fileprivate(set) var problems: [Problem] = []

        /// The number of its last record; nil if a visit has not ended.
        var lastRecord: Int? {
            visits.allSatisfy { $0.end != nil } ? visits.compactMap(\.end).max() ?? record : nil
        }
    }

    /// What went wrong in a visit, or in a form that led to none.
    struct Problem {
        let text: String
        /// The URL of the response that the user does not see; nil if it is not about one.
        let url: String?
    }

    /// A step of the navigator, which can be repeated with the rules of another release.
    struct Decision {
        /// The navigator before the step.
        let before: Navigator
        let after: NavigationState
        let reasons: [NavigationReason]
        let effects: [NavigationEffect]
        let step: (inout Navigator) -> [NavigationEffect]
    }

    /// A visit of a session.
    struct Visit {
        /// The number of its record.
        let record: Int
        let webView: String
        let url: URL
        let kind: String
        let action: VisitAction
        /// Whether the visit shows a response that came with its proposal.
        let hasResponse: Bool
        /// Why the session repeats a request; nil if it does not, or if the cause is unknown.
        fileprivate(set) var repetition: RepeatedRequest?
        /// The number of the record of its end; nil while it is under way.
        fileprivate(set) var end: Int?

        fileprivate func isUnderWay(in webView: String) -> Bool { end == nil && self.webView == webView }
    }

    /// The greatest number of entries. The oldest ones are forgotten first.
    private static let limit = 100
    /// The greatest number of problems of an entry. A page can cause as many as it likes.
    private static let problemLimit = 10

    /// The entries, oldest first.
    private(set) var entries: [Entry] = []
    /// Whether visits that start now follow from the last decision.
    private var isDeciding = false
    /// Why the next visit in a web view repeats a request, by the web view's name.
    private var repetitions: [String: RepeatedRequest] = [:]

    /// Adds a decision. Visits that start before ``endDecision()`` belong to it.
    mutating func begin(_ decision: Decision, cause: String, record: Int) {
        append(Entry(cause: cause, record: record, decision: decision))
        isDeciding = true
    }

    mutating func endDecision() { isDeciding = false }

    /// Notes why the next visit in a web view repeats a request.
    mutating func expectRepetition(in webView: String, because cause: RepeatedRequest) { repetitions[webView] = cause }

    /// Adds a visit. It belongs to the last entry if that entry's decision has just ordered it, or if it repeats a visit of
    /// that entry that has not ended, as a session does after a failed request.
    /// - Parameter cause: what made the session visit, for an entry of the visit's own.
    mutating func add(_ visit: Visit, cause: String) {
        var visit = visit
        visit.repetition = repetitions.removeValue(forKey: visit.webView)
        let repeats = entries.last?.visits.contains { $0.isUnderWay(in: visit.webView) && $0.url == visit.url }
        if !isDeciding, repeats != true { append(Entry(cause: cause, record: visit.record, decision: nil)) }
        guard let last = entries.indices.last else {
            return append(Entry(cause: cause, record: visit.record, decision: nil, visits: [visit]))
        }
        entries[last].visits.append(visit)
    }

    /// Adds a problem to the last entry if that has a visit under way in the web view.
    /// - Parameters:
    ///   - record: the number of the problem's record.
    ///   - cause: what happened, for an entry of the problem's own; nil if it has none.
    mutating func add(_ problem: Problem, in webView: String, record: Int, cause: String?) {
        if let last = entries.indices.last, entries[last].visits.contains(where: { $0.isUnderWay(in: webView) }) {
            guard entries[last].problems.count < VisitHistory.problemLimit else { return }
            entries[last].problems.append(problem)
        } else if let cause {
            append(Entry(cause: cause, record: record, decision: nil, problems: [problem]))
        }
    }

    /// Notes the end of the visits that are under way in a web view.
    /// - Parameter record: the number of the record of the end.
    mutating func endVisits(in webView: String, record: Int) {
        for entry in entries.indices {
            for visit in entries[entry].visits.indices where entries[entry].visits[visit].isUnderWay(in: webView) {
                entries[entry].visits[visit].end = record
            }
        }
    }

    /// Assigns each request to at most one entry, by the indices of the entries.
    ///
    /// A request of a visit belongs to the entry that has the visit. Any other request belongs to the first entry that
    /// has not ended before it: a form's own request, and what followed its redirect, end before the page proposes a
    /// visit. While that entry is under way, it has only the requests of the web views that it visits; the others
    /// belong to the next entry.
    func requestsByEntry(_ requests: [EndedRequest]) -> [Int: [EndedRequest]] {
        var owners: [Int: Int] = [:]
        for (index, entry) in entries.enumerated() {
            for visit in entry.visits { owners[visit.record] = index }
        }
        let ends = entries.indices.map { index in
            let next = entries.indices.contains(index + 1) ? entries[index + 1].record : .max
            return min(entries[index].lastRecord ?? next, next)
        }
        return requests.reduce(into: [:]) { found, request in
            let owner: Int?
            if let visit = request.visit {
                owner = owners[visit]
            } else {
                owner = ends.firstIndex { request.record <= $0 }.map { index in
                    let isCut = entries.indices.contains(index + 1) && ends[index] == entries[index + 1].record
                    let isElsewhere = !entries[index].visits.contains { $0.webView == request.webView }
                    return isCut && isElsewhere && request.record > entries[index].record ? index + 1 : index
                }
            }
            if let owner { found[owner, default: []].append(request) }
        }
    }

    private mutating func append(_ entry: Entry) {
        entries = entries.suffix(VisitHistory.limit - 1) + [entry]
    }
}
