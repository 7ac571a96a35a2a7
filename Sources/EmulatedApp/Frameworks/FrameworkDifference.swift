public import BridgeProtocol
public import Foundation
public import PathConfiguration

/// A situation in which two releases show a proposed URL differently.
public struct FrameworkDifference: Sendable, Equatable {
    /// The stacks after the proposal, and the visits.
    public struct Outcome: Sendable, Equatable {
        public let framework: String
        public let main: [String]
        public let modal: [String]
        public let visits: [VisitOrder]
    }

    public let url: URL
    /// The situation in words: the screens that the app shows, and how the page proposes.
    public let situation: String
    public let outcomes: [Outcome]

    /// Compares what releases do with a URL on main and in a modal, for each action of Turbo and after a redirect.
    /// - Parameters:
    ///   - start: the app's first location.
    ///   - releases: each with the path configuration as it reads it.
    public static func all(
        of url: URL, start: URL, _ releases: [(Framework, PathConfigurationDocument)]
    ) -> [FrameworkDifference] {
        Situation.all.compactMap { situation in
            let outcomes = releases.map { situation.outcome(of: url, in: $0.1, start: start, $0.0) }
            guard let first = outcomes.first, !outcomes.allSatisfy({ $0.isAlike(first) }) else { return nil }
            return FrameworkDifference(url: url, situation: situation.text, outcomes: outcomes)
        }
    }
}

extension FrameworkDifference.Outcome {
    fileprivate func isAlike(_ other: Self) -> Bool {
        func loads(_ outcome: Self) -> [String] {
            outcome.visits.map { "\($0.kind) \($0.action) \($0.url) \($0.stack)" }
        }
        return (main, modal) == (other.main, other.modal) && loads(self) == loads(other)
    }
}

/// The screens before a proposal, and the proposal's action.
private struct Situation {
    let modalScreens: Int
    let action: VisitAction
    let isRedirected: Bool

    /// Turbo proposes the target of a redirect with the action `replace`.
    static let all = [0, 1, 2].flatMap { modal in
        [(VisitAction.advance, false), (.replace, false), (.replace, true)].map {
            Situation(modalScreens: modal, action: $0.0, isRedirected: $0.1)
        }
    }

    var text: String {
        let place = ["on main", "in a modal", "on a modal's second screen"][modalScreens]
        return "\(isRedirected ? "redirected" : action.rawValue) \(place)"
    }

    func outcome(
        of url: URL, in document: PathConfigurationDocument, start: URL, _ framework: Framework
    ) -> FrameworkDifference.Outcome {
        var navigator = Navigator(
            startLocation: start, framework: framework, properties: { document.properties(for: $0) },
            handle: { framework.nativeScreen(of: $0.properties).map { .acceptCustom($0) } ?? .accept })
        _ = navigator.launch()
        let below = ["below"] + (0..<modalScreens).map { "modal-\($0 + 1)" }
        for (index, name) in below.enumerated() {
            let properties: PathProperties = ["context": index == 0 ? "default" : "modal"]
            let screen = start.appending(path: "bridged-\(name)")
            _ = navigator.route(VisitProposal(url: screen, properties: properties))
        }
        let effects = navigator.visitProposed(url, action: action, redirected: isRedirected)
        let outcome = NavigationOutcome(navigator.state, effects)
        return .init(
            framework: framework.name, main: outcome.state.main.map(\.name), modal: outcome.state.modal.map(\.name),
            visits: outcome.visits)
    }
}

extension FrameworkDifference: JSONObject {
    public var members: JSONMembers { ["url": url.absoluteString, "situation": situation, "outcomes": outcomes] }
}

extension FrameworkDifference.Outcome: JSONObject {
    public var members: JSONMembers { ["framework": framework, "main": main, "modal": modal, "visits": visits] }
}
