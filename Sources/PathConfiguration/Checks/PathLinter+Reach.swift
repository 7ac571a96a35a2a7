/// Rules that never have the last word.
extension PathLinter {
    /// Patterns that match every path.
    static let everything: Set<String> = [".*", "^.*", "^.*$", ".*$", "^", "^/", "/", "^/.*", "/.*", "$"]

    mutating func checkReach(_ rules: [RuleText]) {
        for (index, rule) in rules.enumerated() where !rule.patterns.isEmpty && !rule.properties.values.isEmpty {
            let covering = rules.indices.dropFirst(index + 1).filter { PathLinter.covers(rules[$0], rule) }
            let overridden = rule.properties.values.keys.allSatisfy { key in
                covering.contains { rules[$0].properties.values[key] != nil }
            }
            guard overridden, let last = covering.first else { continue }
            remark(
                .warning, "unreachable", at: rule.path,
                "wherever this rule applies, later ones set all of its properties again (\(rules[last].path))",
                fix: "Move it behind them, or remove it.")
        }
    }

    /// Whether the later rule applies wherever the earlier one does. Only what can be told from the texts.
    private static func covers(_ later: RuleText, _ earlier: RuleText) -> Bool {
        let texts = Set(later.patterns.map(\.text))
        return !texts.isDisjoint(with: everything) || earlier.patterns.allSatisfy { texts.contains($0.text) }
    }
}
