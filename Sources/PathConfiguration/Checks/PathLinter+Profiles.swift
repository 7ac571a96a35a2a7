/// Where iOS and Android read the same file differently.
extension PathLinter {
    mutating func checkProfiles(_ rules: [RuleText]) {
        for rule in rules {
            for (path, text) in rule.patterns { checkPattern(text, at: path) }
            if rule.properties.values["presentation"] == "push" {
                differs(
                    at: rule.path(of: "presentation"), "iOS does not know \"push\" and takes it as default",
                    "Write \"default\", which pushes too.")
            }
        }
        for key in ["view_controller", "modal_style", "modal_dismiss_gesture_enabled"] {
            checkReader(of: key, .ios, "Android", rules)
        }
        for key in ["uri", "fallback_uri", "title"] { checkReader(of: key, .android, "iOS", rules) }
        checkURI(rules)
    }

    /// One note for all places of a key that one platform alone reads.
    private mutating func checkReader(of key: String, _ reader: Platform, _ other: String, _ rules: [RuleText]) {
        let places = rules.filter { $0.properties.values[key] != nil }.map { $0.path(of: key) }
        guard let first = places.first else { return }
        let count = places.count > 1 ? ", which \(places.count) rules set" : ""
        differs(at: first, "\(other) does not read \(key)\(count)", "Nothing to do, if the file is for \(reader.name).")
    }

    private mutating func checkPattern(_ text: String, at path: JSONPath) {
        if text.isEmpty {
            differs(
                at: path, "iOS skips the empty pattern, Android finds it in every path", "Write \".*\" for every path.")
        }
        // A letter behind a backslash is a class.
        let letters = text.replacing(/\\./, with: "")
        if letters.contains(where: { $0.isASCII && $0.isUppercase }) {
            differs(
                at: path, "iOS tells upper from lower case here, Android does not",
                "Write (?i) in front to have both ignore it.")
        }
        if text.contains("[[:") {
            differs(
                at: path, "Android's regular expressions have no [[:name:]] classes", "Write \\\\d or \\\\p{Digit}.")
        }
    }

    /// Android's navigator needs a destination for every location.
    private mutating func checkURI(_ rules: [RuleText]) {
        let hasFallback = rules.contains { rule in
            rule.properties.values["uri"] != nil
                && rule.patterns.contains { PathLinter.everything.contains($0.text) }
        }
        guard !rules.isEmpty, !hasFallback else { return }
        differs(
            at: JSONPath.root.member("rules"),
            "Android needs a uri for every location, and no rule for all paths sets one",
            "Begin with {\"patterns\": [\".*\"], \"properties\": {\"uri\": \"hotwire://fragment/web\"}}, if the file is for Android."
        )
    }

    private mutating func differs(at path: JSONPath, _ message: String, _ fix: String) {
        remark(.note, "platformsDiffer", at: path, message, fix: fix)
    }
}
