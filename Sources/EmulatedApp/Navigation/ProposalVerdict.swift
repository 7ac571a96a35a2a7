import BridgeProtocol
public import BridgeServer
import Foundation
import PathConfiguration

extension NavigationState {
    /// How many screens a page may put on the stacks, and how long their URLs may be, in bytes. Each navigation names the
    /// screens in the log, so without limits a page could fill it.
    static let maximumScreens = 500
    private static let maximumURLSize = 16 << 10

    /// The verdict on a proposal beyond these limits; nil if it is within them.
    func excess(of url: URL) -> Verdict? {
        let size = url.absoluteString.utf8.count
        let isTooLong = size > NavigationState.maximumURLSize
        guard isTooLong || main.count + modal.count >= NavigationState.maximumScreens else { return nil }
        return Verdict(
            .dropped, reason: .proposalRefused,
            expected: isTooLong
                ? "a URL of at most \(NavigationState.maximumURLSize) bytes"
                : "at most \(NavigationState.maximumScreens) screens",
            found: isTooLong ? "one of \(size) bytes" : "one more", at: "/data/location",
            hint: "Find the script that proposes visits again and again, or such long ones.")
    }
}

extension Navigator {
    /// Explains why a proposal led to no visit; nil if it led to one.
    func refusal(of url: URL) -> Verdict? {
        if reasons.contains(where: { $0 == .otherHost || $0 == .opensElsewhere }) {
            return Verdict(
                .dropped, reason: .proposalOutside, expected: "a URL on \(startLocation.host ?? "its host")",
                found: url.host.map { "one on \($0)" } ?? "\(url)", at: "/data/location",
                hint: "The app opens it in another app. The outbox of app.state has it.")
        }
        let interpreted = framework.interpret(properties(url))
        let isSilent = interpreted.presentation == .none && !interpreted.isHistoricalLocation
        if reasons.contains(.noRoute) {
            return Verdict(
                .dropped, reason: .proposalRefused, expected: "a URL that a route decision handler matches",
                found: "\(url)", at: "/data/location",
                hint:
                    "Add a handler for it, such as \(setting("route-decision-handler", "routeDecisionHandlers", "safari"))."
            )
        }
        if reasons.contains(.noDestination) {
            return Verdict(
                .dropped, reason: .proposalRefused, expected: "a uri for which a fragment is registered",
                found: missingFragment?.uri ?? "another one", at: "/data/location",
                hint: "bridged path explain '\(url.path)' shows which rule decides.")
        }
        guard reasons.contains(.rejected) || isSilent else { return nil }
        return Verdict(
            .dropped, reason: .proposalRefused, expected: "a URL that becomes a screen",
            found: isSilent ? "one whose presentation is none" : "one that the app refuses", at: "/data/location",
            hint: "bridged path explain '\(url.path)' shows which rule decides.")
    }
}

extension ProblemCode {
    /// The proposed URL is on another host, so a browser or another app opens it.
    public static let proposalOutside = Self("proposalOutside", page: "navigation.md#how-a-proposal-is-handled")
    /// The rules or the app refuse the proposal.
    public static let proposalRefused = Self("proposalRefused", page: "navigation.md#how-a-proposal-is-handled")
}
