public import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Foundation
import PathConfiguration

/// Explains the latest visits.
extension EmulatedApp {
    public func explainVisits(to text: String?, last: Int) throws -> any JSONWritable & Sendable {
        let url = try text.map { text in
            guard !text.isEmpty, let url = URL(string: text, relativeTo: baseURL)?.absoluteURL else {
                throw ActionRefusal("'\(text)' is not a URL. Give one like /posts/1.")
            }
            return url
        }
        return ExplainedVisits(visits: visitExplanations(to: url, last: max(0, last)))
    }

    /// - Parameters:
    ///   - url: only visits of this URL and decisions about it; nil for all.
    ///   - last: how many, the latest ones. Each takes the rules of every release, so no other one is explained.
    func visitExplanations(to url: URL? = nil, last: Int = .max) -> [VisitExplanation] {
        let requests = endedRequests()
        let entries = visitHistory.entries
        return entries.indices.filter { url.map(entries[$0].concerns) ?? true }.suffix(last).map { index in
            let entry = entries[index]
            // A form's own request, and what followed its redirect, ended before the page proposed a visit.
            let after = index > 0 ? entries[index - 1].lastRecord ?? entries[index - 1].record : 0
            let next = entries.indices.contains(index + 1) ? entries[index + 1].record : .max
            let own = Set(entry.visits.map(\.record))
            let end = min(entry.lastRecord ?? next, next)
            let ended = requests.filter { request in
                request.visit.map(own.contains) ?? (request.record > after && request.record <= end)
            }
            var explanation = VisitExplanation(entry, ended)
            explanation.elsewhere = entry.decision.map(elsewhere) ?? []
            return explanation
        }
    }

    private func endedRequests() -> [EndedRequest] {
        guard let filter = try? TrafficFilter(parsing: "kind:request"), let first = visitHistory.entries.first else {
            return []
        }
        // The first entry's requests may have ended before it.
        let after = max(0, first.record - 1_000)
        return server.traffic.query(filter, after: after, limit: 10_000).records.compactMap { stored in
            guard let record = TrafficRecord(json: stored.json), case .request(let request, let visit) = record.event
            else { return nil }
            let ended = record.time.microseconds
            let microseconds = Int64(min(max(0, request.milliseconds ?? 0), 86_400_000) * 1_000)
            return EndedRequest(
                record: record.record, webView: record.webView, began: ended - microseconds, ended: ended,
                request: request, visit: visit)
        }
    }

    // MARK: Other releases

    /// What the releases of Hotwire Native do from the same screens, grouped by what they do: first those that do the same as
    /// the app.
    private func elsewhere(_ decision: VisitHistory.Decision) -> [VisitExplanation.Elsewhere] {
        let releases = Framework.all.filter { $0.components == .hotwireNative || $0 == configuration.framework }
        var groups: [VisitExplanation.Elsewhere] = []
        let own = outcome(of: decision, in: configuration.framework)
        for release in [configuration.framework] + releases.filter({ $0 != configuration.framework }) {
            let (state, why, visits) = outcome(of: decision, in: release)
            let isSame = state.isAlike(own.state) && visits == own.visits
            let (main, modal) = (state.main.map(\.name), state.modal.map(\.name))
            let index = groups.firstIndex { ($0.main, $0.modal, $0.isSame) == (main, modal, isSame) }
            let frameworks = (index.map { groups[$0].frameworks } ?? []) + [release.name]
            let group = VisitExplanation.Elsewhere(
                frameworks: frameworks, isSame: isSame, main: main, modal: modal,
                why: index.map { groups[$0].why } ?? why)
            if let index { groups[index] = group } else { groups.append(group) }
        }
        return groups
    }

    private func outcome(
        of decision: VisitHistory.Decision, in release: Framework
    ) -> (state: NavigationState, why: [String], visits: [String]) {
        let document = configuration.pathConfiguration.document
        let rules = release == configuration.framework ? document : document.read(as: release)
        var navigator = Navigator(
            startLocation: decision.before.startLocation, framework: release,
            properties: { rules.properties(for: $0) },
            routeDecisionHandlers: decision.before.routeDecisionHandlers, binary: configuration.binary,
            handle: configuration.handle ?? EmulatedApp.result(by: release, configuration.binary))
        navigator.state = decision.before.state
        navigator.lastVisited = decision.before.lastVisited
        let effects = decision.step(&navigator)
        let visits = NavigationOutcome(navigator.state, effects).visits.map {
            "\($0.stack.rawValue) \($0.kind.rawValue) \($0.url)"
        }
        return (navigator.state, navigator.reasons.map(\.text), visits)
    }
}

/// The answer of `visits.explain`.
private struct ExplainedVisits: JSONObject, Sendable {
    let visits: [VisitExplanation]

    var members: JSONMembers { ["visits": visits] }
}

extension VisitHistory.Entry {
    /// Whether the app visited the URL, or decided about it.
    fileprivate func concerns(_ url: URL) -> Bool {
        if visits.contains(where: { $0.url == url }) { return true }
        return decision?.effects.contains { effect in
            switch effect {
            case .visit(let order): order.url == url
            case .open(let opened, _): opened == url
            case .transition, .presentAlert, .cancelBack: false
            }
        } ?? false
    }
}

extension NavigationState {
    fileprivate func isAlike(_ other: NavigationState) -> Bool {
        main.map(\.name) == other.main.map(\.name) && modal.map(\.name) == other.modal.map(\.name)
    }
}

extension PathConfigurationDocument {
    /// The same rules, read as a release reads them.
    fileprivate func read(as release: Framework) -> PathConfigurationDocument {
        read(as: release.pathOptions(matchQueryStrings: options.matchQueryStrings))
    }
}
