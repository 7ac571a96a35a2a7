import BridgeProtocol

/// Finds `uri`s that no fragment or activity of an Android app has.
///
/// hotwire-native-android looks for the destination of `uri`, then for that of `fallback_uri`. If the app has registered
/// neither, it logs an error and shows nothing (`Navigator.kt`, `navigateToLocation`).
extension PathLinter {
    mutating func checkDestinations(_ rules: [RuleText]) {
        guard vocabulary == .hotwireNative, platform != .ios else { return }
        let known = destinations.union(InterpretedProperties.frameworkDestinations)
        var places: [(uri: String, path: JSONPath, count: Int)] = []
        for (index, rule) in rules.enumerated() {
            guard let uri = rule.properties["uri"] as String?, !known.contains(uri),
                !hasFallback(index, rules, among: known)
            else { continue }
            if let known = places.firstIndex(where: { $0.uri == uri }) {
                places[known].count += 1
            } else {
                places.append((uri, rule.path(of: "uri"), 1))
            }
        }
        for (uri, path, count) in places { reportDestination(uri, at: path, count) }
    }

    private mutating func reportDestination(_ uri: String, at path: JSONPath, _ count: Int) {
        let text = JSONValue.string(uri)
        let times = count > 1 ? " (\(count) rules have it)" : ""
        if uri.hasPrefix("turbo://fragment/") {
            // turbo-android left the destinations to the app, whose template had these.
            let renamed = "hotwire" + uri.dropFirst("turbo".count)
            let isKnown = InterpretedProperties.frameworkDestinations.contains(renamed)
            let sheet = uri.contains("/modal") ? InterpretedProperties.bottomSheet : InterpretedProperties.defaultURI
            report(
                .warning, "unknownDestination", at: path,
                "\(text) is a destination of turbo-android, which Hotwire Native does not have\(times): without a "
                    + "fallback_uri, nothing shows on Android",
                fix: "Write \(JSONValue.string(isKnown ? renamed : sheet)), or register a fragment with this uri "
                    + "(--destination \(uri)).")
        } else if destinations.isEmpty {
            report(
                .note, "unknownDestination", at: path,
                "\(text) is none of Hotwire Native's own destinations\(times): unless the Android app registers it, or a "
                    + "fallback_uri is set, nothing shows",
                fix: "Nothing to do if it does; name those that it registers with --destination \(uri).")
        } else {
            report(
                .warning, "unknownDestination", at: path,
                "the Android app registers no destination \(text)\(times): without a fallback_uri, nothing shows",
                fix: "Correct it, or name it with --destination \(uri).")
        }
    }

    /// Whether this rule, or a rule that applies wherever it does, sets a fallback that exists.
    private func hasFallback(_ index: Int, _ rules: [RuleText], among known: Set<String>) -> Bool {
        func fallback(_ rule: RuleText) -> Bool {
            (rule.properties["fallback_uri"] as String?).map(known.contains) ?? false
        }
        return fallback(rules[index])
            || rules.contains { fallback($0) && $0.patterns.contains { PathLinter.everything.contains($0.text) } }
    }
}
