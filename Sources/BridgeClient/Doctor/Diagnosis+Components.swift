import BridgeProtocol

/// Finds out why bridge components do not work. Most of these problems are visible only in the page.
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
            return .one(
                .error, "componentLibraryMissing",
                "Elements use bridge components, but the page has neither window.HotwireNative nor window.Strada.",
                fix: "Import it where the page's scripts begin: import \"@hotwired/hotwire-native-bridge\".")
        }
        guard facts.hasAdapter else {
            return .one(
                .error, "componentAdapterMissing",
                "The page has bridge components, but no window.nativeBridge: their messages wait for ever.",
                fix: "Reload the page. bridged serve adds the adapter with bridge.js, in main frames only.")
        }
        guard !facts.isAdapterSet else { return [] }
        return .one(
            .error, "componentAdapterNotSet",
            "The web library has no adapter: the messages of components wait for ever.",
            fix: """
                The app registers components when its adapter posts "ready": see bridged tail --filter \
                handler:bridge. A library of your own must dispatch web-bridge:ready on document, and have \
                setAdapter.
                """)
    }

    private static func component(_ name: String, _ facts: ComponentFacts) -> [Finding] {
        if facts.optedOut.contains(name) {
            return .one(
                .note, "componentOptedOut", "An element opts out of the component \(name) on this platform.",
                fix: "Do nothing if that is intended: data-controller-optout-… leaves the element to the web.")
        }
        if facts.library != nil, facts.isAdapterSet, !facts.supported.contains(name) {
            let nearest = EditDistance.nearest(to: name, in: facts.supported).map { "Did the page mean \($0)? " } ?? ""
            return .one(
                .error, "componentMissing",
                "Elements use the component \(name), but the app has no component of that name.",
                fix: nearest
                    + "To add it, subclass BridgeComponent and add it to EmulatedApp.Configuration.components.")
        }
        guard !(facts.listed ?? []).contains(name) else { return [] }
        return .one(
            .error, "componentNotListed",
            "The user agent does not list the component \(name), so its web half does not load.",
            fix:
                "Keep bridge-components: […] in the user agent, also if customUserAgent or the browser sets another one."
        )
    }
}
