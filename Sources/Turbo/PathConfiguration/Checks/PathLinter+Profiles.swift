/// Where iOS and Android read the same file differently.
extension PathLinter {
    mutating func checkProfiles(_ rules: [LintedRule]) {
        for rule in rules {
            for (path, text) in rule.patterns { checkPattern(text, at: path) }
            for (key, value) in rule.properties.values { checkProperty(key, value, at: rule.path(of: key)) }
        }
        checkURI(rules)
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

    private mutating func checkProperty(_ key: String, _ value: PathValue, at path: JSONPath) {
        switch key {
        case "presentation" where value == "push":
            differs(
                at: path, "iOS does not know \"push\" and takes it as default", "Write \"default\", which pushes too.")
        case "view_controller", "modal_style", "modal_dismiss_gesture_enabled":
            differs(at: path, "Android does not read \(key)", "Nothing to do, if the file is for iOS.")
        case "uri", "fallback_uri", "title":
            differs(at: path, "iOS does not read \(key)", "Nothing to do, if the file is for Android.")
        default: break
        }
    }

    /// Android's navigator needs a destination for every location.
    private mutating func checkURI(_ rules: [LintedRule]) {
        let hasFallback = rules.contains { rule in
            rule.properties.values["uri"] != nil
                && rule.patterns.contains { [".*", "^.*", "/", "^/"].contains($0.text) }
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
