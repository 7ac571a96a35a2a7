import BridgeProtocol

/// Keys and values that the platforms take for something else, in silence.
extension PathLinter {
    /// The keys with few values.
    static let choices: [String: [String]] = [
        "context": PresentationContext.allCases.map(\.rawValue),
        "presentation": Presentation.allCases.map(\.rawValue),
        "modal_style": ModalStyle.allCases.map(\.rawValue),
        "query_string_presentation": QueryStringPresentation.allCases.map(\.rawValue),
    ]
    static let flags = ["animated", "pull_to_refresh_enabled", "modal_dismiss_gesture_enabled", "historical_location"]
    static let texts = ["view_controller", "uri", "fallback_uri", "title"]
    static let knownKeys = choices.keys.sorted() + flags + texts

    mutating func checkProperties(_ rule: RuleText) {
        for (key, value) in rule.properties.values {
            let path = rule.path(of: key)
            if let known = PathLinter.choices[key] {
                checkChoice(value, among: known, at: path)
            } else if PathLinter.flags.contains(key) {
                checkFlag(value, at: path)
            } else if PathLinter.texts.contains(key) {
                checkText(value, at: path)
            } else {
                checkKey(key, at: path, rule)
            }
        }
        checkHistoricalLocations(rule)
    }

    private mutating func checkKey(_ key: String, at path: JSONPath, _ rule: RuleText) {
        let free = PathLinter.knownKeys.filter { rule.properties.values[$0] == nil }
        let plain = PathLinter.snakeCase(key)
        guard let meant = free.first(where: { $0 == plain }) ?? EditDistance.nearest(to: key, in: free) else { return }
        remark(
            .warning, "unknownKey", at: path, "no platform reads \(JSONValue.string(key))",
            fix: "Did you mean \"\(meant)\"? If the property is your app's own, nothing is wrong.")
    }

    private mutating func checkChoice(_ value: JSONValue, among known: [String], at path: JSONPath) {
        guard let text = value.string else {
            let expected = "one of \(known.joined(separator: ", "))"
            return wrongType(expected, value, at: path, "it counts as default", fix: "Write \(expected).")
        }
        guard !known.contains(text) else { return }
        let plain = PathLinter.snakeCase(text.filter { $0 != " " })
        let meant = known.first { $0 == plain || $0 == text.lowercased() } ?? EditDistance.nearest(to: text, in: known)
        remark(
            .warning, "unknownValue", at: path,
            "\(value) is none of \(known.joined(separator: ", ")), and counts as default"
                + (known.contains(text.lowercased()) ? " on iOS" : ""),
            fix: meant.map { "Did you mean \"\($0)\"?" } ?? "Choose one of them.")
    }

    private mutating func checkFlag(_ value: JSONValue, at path: JSONPath) {
        if case .bool = value { return }
        let onIOS = value.boolOnIOS.map { "iOS reads \($0)" } ?? "iOS takes the default"
        wrongType(
            "true or false", value, at: path, "\(onIOS), Android crashes where it reads it", fix: "Write true or false."
        )
    }

    private mutating func checkText(_ value: JSONValue, at path: JSONPath) {
        if case .string = value { return }
        wrongType("a string", value, at: path, "it counts as missing", fix: "Write it in quotes.")
    }

    private mutating func wrongType(
        _ expected: String, _ value: JSONValue, at path: JSONPath, _ consequence: String, fix: String
    ) {
        remark(
            .warning, "wrongType", at: path, "expected \(expected), found \(value.summary): \(consequence)", fix: fix)
    }

    /// The three built-in rules come last, and what they set can't be overridden.
    private mutating func checkHistoricalLocations(_ rule: RuleText) {
        let fixed = ["context", "presentation", "historical_location"].filter { rule.properties.values[$0] != nil }
        guard !fixed.isEmpty else { return }
        for (path, text) in rule.patterns where text.contains("_historical_location") {
            remark(
                .warning, "builtIn", at: path,
                "a built-in rule for this location stands after all others and sets \(fixed.joined(separator: ", ")) again",
                fix: "Remove the rule, or give the location another name.")
        }
    }

    /// `modalStyle`, `modal-style` and `Modal Style` as `modal_style`.
    private static func snakeCase(_ name: String) -> String {
        var text = ""
        for character in name {
            if character.isUppercase, let last = text.last, last != "_" { text += "_" }
            text += character == "-" || character == " " ? "_" : character.lowercased()
        }
        return text
    }
}
