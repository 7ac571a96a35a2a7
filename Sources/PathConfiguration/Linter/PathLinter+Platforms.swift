/// Finds what iOS and Android read differently. In a file for one of them, it finds only what that one reads otherwise.
extension PathLinter {
    mutating func checkPlatforms(_ rules: [RuleText]) {
        for rule in rules {
            for (path, text) in rule.patterns { checkPattern(text, at: path) }
            if rule.properties.values["presentation"] == "push", vocabulary == .hotwireNative {
                differs(
                    on: .ios, at: rule.path(of: "presentation"),
                    "iOS does not know \"push\" and treats it as \"default\"",
                    "Write \"default\", which also pushes.")
            }
            if rule.properties.values["presentation"] == "replace_root", rule.properties.values["context"] == "modal" {
                differs(
                    on: .android, at: rule.path(of: "presentation"),
                    "on Android, a modal that replaces the root ends the app",
                    "Write \"context\": \"default\".")
            }
        }
        guard vocabulary == .hotwireNative else { return }
        for key in ["view_controller", "modal_style", "modal_dismiss_gesture_enabled"] {
            checkReader(of: key, .ios, other: .android, rules)
        }
        for key in ["uri", "fallback_uri", "title"] { checkReader(of: key, .android, other: .ios, rules) }
    }

    /// Reports a key that only one platform reads: once, at its first place.
    private mutating func checkReader(of key: String, _ reader: Platform, other: Platform, _ rules: [RuleText]) {
        let places = rules.filter { $0.properties.values[key] != nil }.map { $0.path(of: key) }
        guard let first = places.first else { return }
        let count = places.count > 1 ? ", which \(places.count) rules set" : ""
        differs(
            on: other, at: first, "\(other.name) does not read \(key)\(count)",
            "Nothing to do if the file is for \(reader.name).")
    }

    private mutating func checkPattern(_ text: String, at path: JSONPath) {
        if text.isEmpty {
            differs(
                on: .ios, at: path, "iOS skips the empty pattern; on Android it matches every path",
                "Write \".*\" to match every path.")
        }
        // A letter after a backslash names a class or a position, such as \S, and has no case.
        let letters = text.replacing(/\\./, with: "")
        if letters.contains(where: { $0.isASCII && $0.isUppercase }) {
            differs(
                on: .android, at: path, "this pattern is case-sensitive on iOS, but not on Android",
                "Begin it with (?i) to ignore case on both.")
        }
        if text.contains("[[:") {
            differs(
                on: .android, at: path, "Android's regular expressions do not support [[:name:]] classes",
                "Write \\\\d or \\\\p{Digit}.")
        }
    }

    /// - Parameter platform: the one that does not read the file as written. A file for the other one is fine.
    private mutating func differs(on platform: Platform, at path: JSONPath, _ message: String, _ fix: String) {
        guard self.platform == nil || self.platform == platform else { return }
        report(.note, "platformsDiffer", at: path, message, fix: fix)
    }
}
