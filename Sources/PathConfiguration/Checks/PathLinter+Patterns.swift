import BridgeProtocol
import Foundation

/// Patterns that a platform skips, and those that can't match what was meant.
extension PathLinter {
    mutating func checkPatterns(_ rule: RuleText) {
        var seen: Set<String> = []
        for (path, text) in rule.patterns {
            if !seen.insert(text).inserted {
                remark(
                    .warning, "duplicatePattern", at: path, "this pattern stands twice in its rule",
                    fix: "Remove one of them.")
            }
            do throws(InvalidPattern) {
                _ = try PathPattern(text)
                checkMeaning(of: text, at: path)
            } catch {
                remark(
                    .error, "invalidPattern", at: path,
                    "\(JSONValue.string(text)) is no regular expression: \(error.reason)", fix: error.fix,
                    pattern: error)
            }
        }
    }

    /// Well-formed patterns that people write when they think of something else.
    private mutating func checkMeaning(of text: String, at path: JSONPath) {
        if !text.allSatisfy(\.isASCII) {
            let escaped = text.addingPercentEncoding(withAllowedCharacters: .init(charactersIn: "\u{0}"..."\u{7F}"))
            remark(
                .warning, "neverMatches", at: path,
                "a path is searched as it is sent, percent-encoded, so that this never matches",
                fix: "Write \(JSONValue.string(escaped ?? text)).")
        } else if text.contains("://") {
            remark(
                .warning, "neverMatches", at: path,
                "patterns are searched in the path alone: scheme and host are not part of it",
                fix: "Begin the pattern with the path: \"^/\".")
        } else if text.hasPrefix("^"), let second = text.dropFirst().first, second.isLetter || second.isNumber {
            remark(
                .warning, "neverMatches", at: path, "every path begins with a slash, so that this never matches",
                fix: "Write \(JSONValue.string("^/" + text.dropFirst())).")
        } else if text.contains("/*") {
            remark(
                .warning, "glob", at: path, "/* is no wildcard here: it means any number of slashes",
                fix:
                    "Write \(JSONValue.string(text.replacingOccurrences(of: "/*", with: "/[^/]+"))) for any one segment."
            )
        }
    }

    /// Tells of patterns that match none of the app's URLs.
    mutating func checkMatches(_ rules: [RuleText], _ urls: [URL], matchQueryStrings: Bool) {
        guard !urls.isEmpty else { return }
        let subjects = urls.map { PathSubject($0, withQuery: matchQueryStrings) }
        let hopeless = Set(remarks.filter { $0.code == "neverMatches" }.map(\.path))
        for (path, text) in rules.flatMap(\.patterns) where !hopeless.contains(path) {
            guard let pattern = try? PathPattern(text), !subjects.contains(where: pattern.matches) else { continue }
            remark(
                .warning, "matchesNothing", at: path,
                "\(JSONValue.string(text)) matches none of the \(urls.count) URLs", fix: "Correct it, or remove it.")
        }
    }
}
