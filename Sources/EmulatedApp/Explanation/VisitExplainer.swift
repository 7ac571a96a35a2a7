import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Foundation
import PathConfiguration

/// Explains the latest visits from their history and the log.
@MainActor struct VisitExplainer {
    private let history: VisitHistory
    private let traffic: TrafficLog
    private let configuration: EmulatedApp.Configuration

    init(_ history: VisitHistory, _ traffic: TrafficLog, _ configuration: EmulatedApp.Configuration) {
        (self.history, self.traffic, self.configuration) = (history, traffic, configuration)
    }

    /// - Parameters:
    ///   - url: only visits of this URL and decisions about it; nil for all.
    ///   - last: how many of the latest visits to explain. Explaining one applies the rules of every release, so the
    ///     others are left out first.
    func explanations(to url: URL?, last: Int) -> [VisitExplanation] {
        let entries = history.entries
        let asked = entries.indices.filter { url.map(entries[$0].concerns) ?? true }.suffix(last)
        guard let first = asked.first else { return [] }
        let requests = history.requestsByEntry(endedRequests(since: first))
        var rules = RulesOfReleases(configuration.pathConfiguration.document)
        return asked.map { index in
            var explanation = VisitExplanation(entries[index], requests[index] ?? [])
            explanation.elsewhere = entries[index].decision.map { elsewhere($0, &rules) } ?? []
            return explanation
        }
    }

    /// - Parameter entry: the index of the first entry to explain.
    private func endedRequests(since entry: Int) -> [EndedRequest] {
        guard let filter = try? TrafficFilter(parsing: "kind:request") else { return [] }
        // The entry's requests may have ended before it.
        var after = max(0, history.entries[entry].record - 1_000)
        var ended: [EndedRequest] = []
        while true {
            // It blocks while an archive is read, but only from the first entry's records on.
            let (records, next) = traffic.query(filter, after: after, limit: 1_000)
            guard !records.isEmpty else { return ended }
            ended += records.compactMap(EndedRequest.init)
            after = next
        }
    }

    // MARK: Other releases

    /// What the releases of Hotwire Native would do from the same screens. Releases that do the same are one group, and
    /// those that do the same as the app come first.
    private func elsewhere(
        _ decision: VisitHistory.Decision, _ rules: inout RulesOfReleases
    ) -> [VisitExplanation.Elsewhere] {
        let releases = Framework.all.filter { $0.components == .hotwireNative || $0 == configuration.framework }
        var groups: [VisitExplanation.Elsewhere] = []
        let own = outcome(of: decision, in: configuration.framework, &rules)
        for release in [configuration.framework] + releases.filter({ $0 != configuration.framework }) {
            let (state, why, visits) = outcome(of: decision, in: release, &rules)
            let isSame = state.isAlike(own.state) && visits == own.visits
            let group = VisitExplanation.Elsewhere(
                frameworks: [release.name], isSame: isSame, main: state.main.map(\.name),
                modal: state.modal.map(\.name), why: why, visits: visits)
            if let index = groups.firstIndex(where: { $0.isAlike(group) }) {
                groups[index].frameworks += group.frameworks
            } else {
                groups.append(group)
            }
        }
        return groups
    }

    private func outcome(
        of decision: VisitHistory.Decision, in release: Framework, _ rules: inout RulesOfReleases
    ) -> (state: NavigationState, why: [String], visits: [String]) {
        let document = rules.document(as: release, isApp: release == configuration.framework)
        var navigator = Navigator(
            startLocation: decision.before.startLocation, framework: release,
            properties: { document.properties(for: $0) },
            routeDecisionHandlers: decision.before.routeDecisionHandlers, binary: configuration.binary,
            handle: configuration.handle ?? EmulatedApp.result(by: release, configuration.binary))
        navigator.state = decision.before.state
        navigator.lastVisited = decision.before.lastVisited
        let effects = decision.step(&navigator)
        let visits = NavigationOutcome(navigator.state, effects).visits.map {
            "\($0.kind.rawValue) \($0.url) in \($0.stack.rawValue)"
        }
        return (navigator.state, navigator.reasons.map(\.text), visits)
    }
}

extension VisitHistory.Entry {
    /// Whether the app visited the URL or decided about it, or the user does not see the URL's response.
    fileprivate func concerns(_ url: URL) -> Bool {
        if visits.contains(where: { $0.url == url }) { return true }
        if problems.contains(where: { $0.url == url.absoluteString }) { return true }
        return decision?.effects.contains { effect in
            switch effect {
            case .visit(let order): order.url == url
            case .open(let opened, _): opened == url
            case .transition, .presentAlert, .cancelBack: false
            }
        } ?? false
    }
}

extension VisitExplanation.Elsewhere {
    /// Whether another group of releases does the same.
    fileprivate func isAlike(_ other: Self) -> Bool {
        (main, modal, isSame, visits) == (other.main, other.modal, other.isSame, other.visits)
    }
}

extension NavigationState {
    fileprivate func isAlike(_ other: NavigationState) -> Bool {
        main.map(\.name) == other.main.map(\.name) && modal.map(\.name) == other.modal.map(\.name)
    }
}

/// The app's rules as releases read them. Their patterns are compiled once for all releases that read them alike.
private struct RulesOfReleases {
    private let own: PathConfigurationDocument
    private var read: [PathConfigurationDocument] = []

    init(_ own: PathConfigurationDocument) { self.own = own }

    /// - Parameter isApp: whether the release is that of the app. The app has read the rules already.
    mutating func document(as release: Framework, isApp: Bool) -> PathConfigurationDocument {
        guard !isApp else { return own }
        let options = release.pathOptions(matchQueryStrings: own.options.matchQueryStrings)
        if let known = read.first(where: { $0.options == options }) { return known }
        let document = own.read(as: options)
        read.append(document)
        return document
    }
}

extension EndedRequest {
    /// - Returns: nil if the record is not that of a request.
    fileprivate init?(_ stored: StoredRecord) {
        guard let record = TrafficRecord(json: stored.json), case .request(let request, let visit) = record.event
        else { return nil }
        let ended = record.time.microseconds
        let microseconds = Int64(min(max(0, request.milliseconds ?? 0), 86_400_000) * 1_000)
        self.init(
            record: record.record, webView: record.webView, began: ended - microseconds, ended: ended,
            request: request, visit: visit)
    }
}
