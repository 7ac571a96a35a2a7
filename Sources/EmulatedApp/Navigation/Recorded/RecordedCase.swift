public import BridgeProtocol
import Foundation
import PathConfiguration

/// A case for `bridged route --steps`: navigation steps, or look-ups in a path configuration.
///
/// The format is that of the recordings of Hotwire Native in Tests/EmulatedAppTests/Recordings, without the expected
/// results.
public struct RecordedCase: Sendable {
    enum Content: Sendable {
        case steps(start: URL, [NavigationStep])
        case lookups([Lookup])
    }

    struct Lookup: Sendable {
        let text: String
        let url: URL
    }

    public let id: String
    let configuration: PathConfigurationDocument
    let content: Content
    let framework: Framework

    /// Reads a case.
    public init(_ json: JSON, framework: Framework = .default) throws(RecordedCaseError) {
        let reader = RecordedReader(id: json["id"]?.string, path: .root, json: json)
        id = try reader.member("id").text()
        self.framework = framework
        let options = framework.pathOptions(
            matchQueryStrings: try reader.optional("matchQueryStrings")?.flag() ?? true)
        // If a platform cannot read a path configuration, only the built-in rules remain. This is not an error here.
        let text = try reader.member("pathConfiguration").json
        configuration = (try? PathConfigurationDocument(text, options: options)) ?? .init(options: options)
        if let lookups = reader.optional("lookups") {
            content = .lookups(
                try lookups.elements { element throws(RecordedCaseError) in
                    let url = try element.member("url")
                    return Lookup(text: try url.text(), url: try url.url())
                })
        } else {
            let start = try reader.member("start").url()
            content = .steps(
                start: start,
                try reader.member("steps").elements { step throws(RecordedCaseError) in try NavigationStep(step) })
        }
    }

    private func members(_ steps: [NavigationStep], from start: URL) -> JSONMembers {
        var navigator = Navigator(
            startLocation: start, framework: framework,
            properties: { [configuration] in configuration.properties(for: $0) },
            handle: { [framework] in RecordedCase.recordedApp($0, framework) })
        let states = ([.start] + steps).map { step in
            let effects = navigator.perform(step)
            return RecordedState(NavigationOutcome(navigator.state, effects))
        }
        return ["id": id, "initial": states.first, "states": Array(states.dropFirst())]
    }

    private func members(_ lookups: [Lookup]) -> JSONMembers {
        let results = lookups.map { LookupResult(url: $0.text, properties: configuration.properties(for: $0.url)) }
        return [
            "id": id, "ruleCount": configuration.rules.count, "settings": PathProperties(configuration.settings),
            "lookups": results,
        ]
    }

    /// Decides proposals as the recorded app does: it has two native screens, an alert and a refusal.
    private static func recordedApp(_ proposal: VisitProposal, _ framework: Framework) -> ProposalResult {
        let name = framework.nativeScreen(of: proposal.properties)
        return switch name {
        case "numbers", "map": .acceptCustom(name ?? "")
        case "alert": .alert
        case "reject": .reject
        default: .accept
        }
    }
}

extension RecordedCase: JSONObject {
    /// Runs the case. The result has `id` with `initial` and `states`, or with the results of the look-ups.
    public var members: JSONMembers {
        switch content {
        case .steps(let start, let steps): members(steps, from: start)
        case .lookups(let lookups): members(lookups)
        }
    }
}

/// A navigation outcome, written with the keys that the recordings have.
private struct RecordedState: JSONObject {
    let outcome: NavigationOutcome

    init(_ outcome: NavigationOutcome) { self.outcome = outcome }

    var members: JSONMembers {
        let (state, native) = (outcome.state, outcome.nativeScreens)
        let external = outcome.effects.compactMap(\.external)
        return [
            "main": state.main.map(\.name), "modal": state.modal.map(\.name), "visits": outcome.visits,
            "native": native.isEmpty ? nil : native, "external": external.isEmpty ? nil : external,
            "alert": outcome.effects.lazy.compactMap(\.alert).first,
            "transitions": outcome.effects.compactMap(\.transition),
            "modalStyle": state.isModalPresented ? state.modalStyle.presentationStyle : nil,
            "dismissible": state.isModalPresented ? state.isDismissible : nil,
        ]
    }
}

/// The result of a look-up.
private struct LookupResult: JSONObject {
    let url: String
    let properties: PathProperties

    var members: JSONMembers { ["url": url, "properties": properties, "interpreted": properties.interpreted()] }
}

extension NavigationEffect {
    fileprivate var alert: String? {
        if case .presentAlert(let stack) = self { stack.rawValue } else { nil }
    }

    fileprivate var external: JSONValue? {
        guard case .open(let url, let browser) = self else { return nil }
        return ["url": .string(url.absoluteString), "via": .string(browser.rawValue)]
    }

    fileprivate var transition: JSONValue? {
        guard case .transition(let transition) = self else { return nil }
        return [
            "op": .string(transition.operation.rawValue), "on": .string(transition.stack.rawValue),
            "animated": .bool(transition.animated),
        ]
    }
}
