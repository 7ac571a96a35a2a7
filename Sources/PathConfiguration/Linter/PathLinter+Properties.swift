import BridgeProtocol

/// Finds keys and values that the platforms silently ignore or read as something else.
extension PathLinter {
    mutating func checkProperties(_ rule: RuleText) {
        for (key, value) in rule.properties.values {
            let path = rule.path(of: key)
            if let known = vocabulary.choices[key] {
                checkChoice(value, among: known, at: path)
            } else if vocabulary.flags.contains(key) {
                checkFlag(value, at: path)
            } else if vocabulary.texts.contains(key) {
                if value.string == nil {
                    expect("a string", value, at: path, "it counts as missing", fix: "Write it in quotes.")
                }
            } else {
                checkKey(key, at: path, rule)
            }
        }
        checkHistoricalLocations(rule)
    }

    private mutating func checkKey(_ key: String, at path: JSONPath, _ rule: RuleText) {
        guard !PathVocabulary.hotwireNative.keys.contains(key) else {
            return report(
                .warning, "unknownKey", at: path, "this release does not read \(JSONValue.string(key))",
                fix: "Nothing to do if the app's own code reads it.")
        }
        let free = vocabulary.keys.filter { rule.properties.values[$0] == nil }
        let plain = PathLinter.snakeCase(key)
        guard let meant = free.first(where: { $0 == plain }) ?? EditDistance.nearest(to: key, in: free) else { return }
        report(
            .warning, "unknownKey", at: path,
            "\(vocabulary == .hotwireNative ? "no platform reads" : "this release does not read") \(JSONValue.string(key))",
            fix: "Did you mean \"\(meant)\"? If it is a property of your own app, ignore this.")
    }

    private mutating func checkChoice(_ value: JSONValue, among known: [String], at path: JSONPath) {
        let expected = "one of \(known.joined(separator: ", "))"
        guard let text = value.string else {
            return expect(expected, value, at: path, "it counts as default", fix: "Write \(expected).")
        }
        guard !known.contains(text) else { return }
        let plain = PathLinter.snakeCase(text.filter { $0 != " " })
        let meant = known.first { $0 == plain || $0 == text.lowercased() } ?? EditDistance.nearest(to: text, in: known)
        expect(
            expected, value, code: "unknownValue", at: path,
            "it counts as default\(known.contains(text.lowercased()) ? " on iOS" : "")",
            fix: meant.map { "Did you mean \"\($0)\"?" } ?? "Write \(expected).")
    }

    private mutating func checkFlag(_ value: JSONValue, at path: JSONPath) {
        guard value.bool == nil else { return }
        let onIOS = value.boolOnIOS.map { "iOS reads \($0)" } ?? "iOS uses the default"
        expect(
            "true or false", value, at: path, "\(onIOS), and Android crashes when it reads the value",
            fix: "Write true or false.")
    }

    private mutating func expect(
        _ expected: String, _ value: JSONValue, code: String = "wrongType", at path: JSONPath, _ consequence: String,
        fix: String
    ) {
        report(.warning, code, at: path, "expected \(expected), found \(value.summary): \(consequence)", fix: fix)
    }

    /// Reports rules for historical locations. The built-in rules come last, so their properties can't be overridden.
    private mutating func checkHistoricalLocations(_ rule: RuleText) {
        guard includesHistoricalLocations else { return }
        let fixed = ["context", "presentation", "historical_location"].filter { rule.properties.values[$0] != nil }
        guard !fixed.isEmpty else { return }
        for (path, text) in rule.patterns where text.contains("_historical_location") {
            report(
                .warning, "builtIn", at: path,
                "a built-in rule for this location comes last and overrides \(fixed.joined(separator: ", "))",
                fix: "Remove the rule, or give the location another name.")
        }
    }

    /// Turns `modalStyle`, `modal-style` and `Modal Style` into `modal_style`.
    private static func snakeCase(_ name: String) -> String {
        var text = ""
        for character in name {
            if character.isUppercase, let last = text.last, last != "_" { text += "_" }
            text += character == "-" || character == " " ? "_" : character.lowercased()
        }
        return text
    }
}
