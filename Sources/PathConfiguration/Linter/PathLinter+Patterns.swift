import BridgeProtocol
import Foundation

/// Finds patterns that a platform skips or that can't match what was meant.
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
                _ = try PathPattern(text)
                checkMeaning(of: text, at: path)
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
        if let impossible = ImpossiblePattern(text, subject: subject, hasQuery: matchesQuery) {
            report(
                .warning, "neverMatches", at: path, "this pattern never matches, because \(impossible.reason)",
                fix: impossible.fix)
        } else if let impossible = PathLinter.alternatives(of: text).lazy.compactMap({ [subject, matchesQuery] part in
            ImpossiblePattern(part, subject: subject, hasQuery: matchesQuery).map { (part, $0) }
        }).first {
            report(
                .warning, "neverMatches", at: path,
                "the part \(JSONValue.string(impossible.0)) never matches, because \(impossible.1.reason)",
                fix: impossible.1.fix)
        } else if text.contains("/*") {
            let segment = JSONValue.string(text.replacingOccurrences(of: "/*", with: "/[^/]+"))
            report(
                .warning, "glob", at: path, "/* is not a wildcard here: it matches any number of slashes",
                fix: "Write \(segment) to match any one segment.")
        }
    }

    /// The alternatives of a pattern that has some outside of all groups and classes.
    private static func alternatives(of text: String) -> [String] {
        var (parts, depth, isEscaped) = ([""], 0, false)
        for character in text {
            if !isEscaped {
                if "([".contains(character) { depth += 1 }
                if ")]".contains(character) { depth -= 1 }
            }
            if character == "|", depth == 0, !isEscaped {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
            isEscaped = character == "\\" && !isEscaped
        }
        return parts.count > 1 ? parts : []
    }

    /// Finds patterns that match none of the app's URLs.
    mutating func checkMatches(_ rules: [RuleText], _ urls: [URL]) {
        guard !urls.isEmpty else { return }
        let subjects = urls.map { subject.text(of: $0, withQuery: matchesQuery) }
        let reported = Set(findings.filter { $0.code == "neverMatches" }.map(\.path))
        for (path, text) in rules.flatMap(\.patterns) where !reported.contains(path) {
            guard let pattern = try? PathPattern(text), !subjects.contains(where: { pattern.firstMatch(in: $0) != nil })
            else { continue }
            report(
                .warning, "matchesNothing", at: path,
                "\(JSONValue.string(text)) matches none of the \(urls.count) URLs", fix: "Correct it, or remove it.")
        }
    }
}
