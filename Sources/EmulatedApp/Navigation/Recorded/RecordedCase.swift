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
    let rules: NavigationRules

    /// Reads a case.
    public init(_ json: JSON, rules: NavigationRules = .hotwireNative) throws(RecordedCaseError) {
        let reader = RecordedReader(id: json["id"]?.string, path: .root, json: json)
        id = try reader.member("id").text()
        self.rules = rules
        let options = PathConfigurationDocument.Options(
            matchQueryStrings: try reader.optional("matchQueryStrings")?.flag() ?? true,
            includesHistoricalLocations: rules.knowsHistoricalLocations)
        // If a platform cannot read a path configuration, only the built-in rules remain. That is no error here.
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

    /// Runs the case and writes one object: `id` with `initial` and `states`, or with the results of the look-ups.
    public func writeResult(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id)
            switch content {
            case .steps(let start, let steps): write(steps, from: start, to: &writer)
            case .lookups(let lookups): write(lookups, to: &writer)
            }
        }
    }

    private func write(_ steps: [NavigationStep], from start: URL, to writer: inout JSONWriter) {
        var navigator = Navigator(
            startLocation: start, rules: rules, properties: { [configuration] in configuration.properties(for: $0) },
            handle: { [rules] in RecordedCase.recordedApp($0, rules) })
        let initial = navigator.start()
        writer.member("initial", RecordedState(NavigationOutcome(navigator.state, initial)))
        let states = steps.map { step in
            let effects = navigator.perform(step)
            return RecordedState(NavigationOutcome(navigator.state, effects))
        }
        writer.member("states", states)
    }

    private func write(_ lookups: [Lookup], to writer: inout JSONWriter) {
        writer.member("ruleCount", configuration.rules.count)
        writer.member("settings", PathProperties(configuration.settings))
        writer.key("lookups")
        writer.array { writer in
            for lookup in lookups {
                let properties = configuration.properties(for: lookup.url)
                writer.object { writer in
                    writer.member("url", lookup.text)
                    writer.member("properties", properties)
                    writer.member("interpreted", properties.interpreted())
                }
            }
        }
    }

    /// Decides proposals as the recorded app does: it has two native screens, an alert and a refusal.
    private static func recordedApp(_ proposal: VisitProposal, _ rules: NavigationRules) -> ProposalResult {
        let name: String? = proposal.properties[rules.nativeScreenKey]
        return switch name {
        case "numbers", "map": .acceptCustom(name ?? "")
        case "alert": .alert
        case "reject": .reject
        default: .accept
        }
    }
}

/// A navigation outcome, written with the keys that the recordings have.
private struct RecordedState: JSONWritable {
    let outcome: NavigationOutcome

    init(_ outcome: NavigationOutcome) { self.outcome = outcome }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            outcome.writeStacks(to: &writer)
            let native = outcome.nativeScreens
            if !native.isEmpty { writer.member("native", native) }
            let external = outcome.effects.compactMap(\.external)
            if !external.isEmpty { writer.member("external", external) }
            for case .presentAlert(let stack) in outcome.effects { writer.member("alert", stack.rawValue) }
            writer.member("transitions", outcome.effects.compactMap(\.transition))
            guard outcome.state.isModalPresented else { return }
            writer.member("modalStyle", outcome.state.modalStyle.presentationStyle)
            writer.member("dismissible", outcome.state.isDismissible)
        }
    }
}

extension NavigationEffect {
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
