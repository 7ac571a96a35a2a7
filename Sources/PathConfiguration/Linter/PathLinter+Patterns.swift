import BridgeProtocol
import Foundation

/// Finds patterns that a platform skips or that can't match what was meant, and rules that are always overridden.
extension PathLinter {
    /// Patterns that match every path.
    static let everything: Set<String> = [".*", "^.*", "^.*$", ".*$", "^", "^/", "/", "^/.*", "/.*", "$"]

    mutating func checkPatterns(_ rule: RuleText) {
        var seen: Set<String> = []
        for (path, text) in rule.patterns {
            if !seen.insert(text).inserted {
                report(
                    .warning, "duplicatePattern", at: path, "this pattern appears twice in its rule",
                    fix: "Remove one of them.")
            }
            do throws(InvalidPattern) {
                let pattern = try PathPattern(text)
                checkMeaning(of: text, at: path)
                checkTime(of: pattern, at: path)
            } catch {
                report(
                    .error, "invalidPattern", at: path,
                    "\(JSONValue.string(text)) is not a valid regular expression: \(error.reason)", fix: error.fix,
                    pattern: error)
            }
        }
    }

    /// Finds valid patterns that can't match what was meant.
    private mutating func checkMeaning(of text: String, at path: JSONPath) {
        func warn(_ code: String, _ message: String, fix: String) {
            report(.warning, code, at: path, message, fix: fix)
        }
        if !text.allSatisfy(\.isASCII) {
            let escaped = text.addingPercentEncoding(withAllowedCharacters: .init(charactersIn: "\u{0}"..."\u{7F}"))
            warn(
                "neverMatches", "this pattern never matches, because paths are percent-encoded",
                fix: "Write \(JSONValue.string(escaped ?? text)).")
        } else if text.contains("://") {
            warn(
                "neverMatches", "this pattern never matches, because a path does not include scheme and host",
                fix: "Begin the pattern with the path: \"^/\".")
        } else if text.hasPrefix("^"), let second = text.dropFirst().first, second.isLetter || second.isNumber {
            warn(
                "neverMatches", "this pattern never matches, because every path begins with a slash",
                fix: "Write \(JSONValue.string("^/" + text.dropFirst())).")
        } else if text.contains("/*") {
            let segment = JSONValue.string(text.replacingOccurrences(of: "/*", with: "/[^/]+"))
            warn(
                "glob", "/* is not a wildcard here: it matches any number of slashes",
                fix: "Write \(segment) to match any one segment.")
        }
    }

    /// Finds patterns that take so long for some paths that a look-up gives up.
    private mutating func checkTime(of pattern: PathPattern, at path: JSONPath) {
        let slow = SlowPaths(pattern.text).paths.first { path in
            var budget = PatternBudget()
            return pattern.search(path, &budget) == .gaveUp
        }
        guard let slow else { return }
        report(
            .warning, "slowPattern", at: path,
            "this pattern takes very long for some paths, such as \(quoted(slow, limit: 20)) (\(slow.count) characters), "
                + "which then count as not matching", fix: PathPattern.adviceIfSlow)
    }

    /// Finds patterns that match none of the app's URLs.
    mutating func checkMatches(_ rules: [RuleText], _ urls: [URL], matchQueryStrings: Bool) {
        guard !urls.isEmpty else { return }
        let subjects = urls.map { subject.text(of: $0, withQuery: matchQueryStrings) }
        let reported = Set(findings.filter { $0.code == "neverMatches" }.map(\.path))
        for (path, text) in rules.flatMap(\.patterns) where !reported.contains(path) {
            guard let pattern = try? PathPattern(text), !subjects.contains(where: { pattern.firstMatch(in: $0) != nil })
            else { continue }
            report(
                .warning, "matchesNothing", at: path,
                "\(JSONValue.string(text)) matches none of the \(urls.count) URLs", fix: "Correct it, or remove it.")
        }
    }

    /// Finds rules whose properties are all overridden by later rules.
    mutating func checkReach(_ rules: [RuleText]) {
        for (index, rule) in rules.enumerated() where !rule.patterns.isEmpty && !rule.properties.values.isEmpty {
            let covering = rules.indices.dropFirst(index + 1).filter { PathLinter.covers(rules[$0], rule) }
            let overridden = rule.properties.values.keys.allSatisfy { key in
                covering.contains { rules[$0].properties.values[key] != nil }
            }
            guard overridden, let last = covering.first else { continue }
            report(
                .warning, "unreachable", at: rule.path,
                "later rules override all properties of this rule (\(rules[last].path))",
                fix: "Move it after them, or remove it.")
        }
    }

    /// Whether the later rule certainly applies to every path that the earlier one applies to. Compares the patterns'
    /// texts only.
    private static func covers(_ later: RuleText, _ earlier: RuleText) -> Bool {
        let texts = Set(later.patterns.map(\.text))
        return !texts.isDisjoint(with: everything) || earlier.patterns.allSatisfy { texts.contains($0.text) }
    }
}
