import BridgeProtocol

/// What keeps bridge components from working. Most of it dies within the page, and nobody else hears of it.
extension Diagnosis {
    static func components(_ facts: ComponentFacts) -> [Finding] {
        guard !facts.uses.isEmpty || facts.library != nil else { return [] }
        let findings = connection(facts) + facts.uses.flatMap { component($0, facts) }
        guard !findings.contains(where: { $0.severity != .note }) else { return findings }
        let names = facts.uses.isEmpty ? "" : ": \(facts.uses.joined(separator: ", "))"
        return findings + [Finding(.ok, "components", "The page's bridge components reach the app\(names).")]
    }

    private static func connection(_ facts: ComponentFacts) -> [Finding] {
        guard facts.library != nil else {
            return [
                Finding(
                    .error, "componentLibraryMissing",
                    "Elements use bridge components, and the page has neither window.HotwireNative nor window.Strada.",
                    fix: "Import it where the page's scripts begin: import \"@hotwired/hotwire-native-bridge\".")
            ]
        }
        guard facts.hasAdapter else {
            return [
                Finding(
                    .error, "componentAdapterMissing",
                    "The page has bridge components, and no window.nativeBridge: what they send waits for ever.",
                    fix: "Load the page again; bridged serve brings the adapter with bridge.js, for main frames alone.")
            ]
        }
        guard !facts.isAdapterSet else { return [] }
        return [
            Finding(
                .error, "componentAdapterNotSet",
                "The web library was given no adapter: what components send waits for ever.",
                fix: """
                    The app registers components once its adapter posts "ready": look into bridged tail --filter \
                    handler:bridge. A library of one's own dispatches web-bridge:ready on document, and has setAdapter.
                    """)
        ]
    }

    private static func component(_ name: String, _ facts: ComponentFacts) -> [Finding] {
        if facts.optedOut.contains(name) {
            return [
                Finding(
                    .note, "componentOptedOut", "An element opts out of the component \(name) on this platform.",
                    fix: "Nothing, where that is meant: data-controller-optout-… leaves the element to the web.")
            ]
        }
        if facts.library != nil, facts.isAdapterSet, !facts.supported.contains(name) {
            let nearest = EditDistance.nearest(to: name, in: facts.supported).map { "Did the page mean \($0)? " } ?? ""
            return [
                Finding(
                    .error, "componentMissing",
                    "Elements use the component \(name), and the app has none of that name.",
                    fix: nearest
                        + "To have it, subclass BridgeComponent and add it to EmulatedApp.Configuration.components.")
            ]
        }
        guard !(facts.listed ?? []).contains(name) else { return [] }
        return [
            Finding(
                .error, "componentNotListed",
                "The user agent does not list the component \(name), so that its web half does not load.",
                fix:
                    "Keep bridge-components: […] in the user agent, also where customUserAgent or the browser has another."
            )
        ]
    }
}
