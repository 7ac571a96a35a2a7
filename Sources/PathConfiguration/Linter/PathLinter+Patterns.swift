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

/// Finds properties that never take effect, because later rules override them wherever their own rule applies.
///
/// It derives sample paths from all patterns and looks them up, because two patterns of different texts may match the same
/// paths. A later rule that matches only some of an earlier rule's paths is a refinement, and fine.
extension PathLinter {
    /// The time grows with the square of the number of patterns.
    private static let mostPatterns = 400

    mutating func checkReach(_ texts: [RuleText]) {
        guard texts.lazy.map(\.patterns.count).reduce(0, +) <= PathLinter.mostPatterns else { return }
        let reach = Reach(texts, on: platform ?? .ios)
        for (index, rule) in texts.enumerated() where !rule.properties.values.isEmpty {
            let pieces = reach.pieces(of: index)
            guard !pieces.isEmpty, reach.isKnown(index) else { continue }
            let later = reach.covering(pieces.reduce(into: []) { $0.formUnion($1.paths) }, after: index)
            if rule.properties.values.keys.allSatisfy({ key in
                later.contains { texts[$0].properties.values[key] != nil }
            }),
                let first = later.first
            {
                report(
                    .warning, "unreachable", at: rule.path,
                    "later rules override all properties of this rule (\(texts[first].path))",
                    fix: "Move it after them, or remove it.")
                continue
            }
            for (key, value) in rule.properties.values.sorted(by: { $0.key < $1.key }) {
                checkReach(of: key, value, index, texts, reach)
            }
        }
    }

    private mutating func checkReach(
        of key: String, _ value: JSONValue, _ index: Int, _ texts: [RuleText], _ reach: Reach
    ) {
        /// The patterns for which the property has no effect, with the last rule that overrides it there.
        var overridden: [(pattern: String, rule: Int)] = []
        let pieces = reach.pieces(of: index)
        for piece in pieces {
            let winners = piece.paths.map { path in
                reach.last(matching: path) { texts[$0].properties.values[key] != nil } ?? index
            }
            guard winners.allSatisfy({ $0 != index && texts[$0].properties.values[key] != value }) else { continue }
            let covering = reach.covering(piece.paths, after: index).last { later in
                texts[later].properties.values[key] != nil && reach.isNoRefinement(later, of: index)
            }
            if let covering { overridden.append((piece.pattern, covering)) }
        }
        guard let last = overridden.last, let winner = texts[last.rule].properties.values[key] else { return }
        let patterns = overridden.map { JSONValue.string($0.pattern).description }.joined(separator: ", ")
        let place = overridden.count == pieces.count ? "" : " for the paths of \(patterns)"
        report(
            .warning, "overridden", at: texts[index].path(of: key),
            "this has no effect\(place): \(texts[last.rule].path) comes later, matches the same paths and more, and sets "
                + "\(JSONValue.string(key)) to \(shortened(winner.text, to: 60))",
            fix: "Put the more general rule first: the last rule that matches wins.")
    }

}

/// Which sample paths each rule matches.
private struct Reach {
    private let paths: [String]
    /// For each rule, the indices of the paths that it matches.
    private let matched: [Set<Int>]
    private let own: [[(pattern: String, paths: Set<Int>)]]
    /// For each rule, whether each pattern matches a sample that was made of it.
    private let known: [Bool]

    init(_ texts: [RuleText], on platform: Platform) {
        let patterns = texts.map { rule in rule.patterns.compactMap { try? PathPattern($0.text, platform: platform) } }
        var paths = ["/", "/zz", "/zz/1/zz", "/zz?zz=1"]
        var seen = Set(paths)
        var unknown: Set<String> = []
        let most = min(48, max(8, 6_000 / max(1, patterns.joined().count)))
        for pattern in patterns.joined() {
            let samples = PatternForms(pattern.text).samples.prefix(most)
            if !samples.contains(where: { pattern.firstMatch(in: $0) != nil }) { unknown.insert(pattern.text) }
            for sample in samples where seen.insert(sample).inserted { paths.append(sample) }
        }
        self.paths = paths
        let found = patterns.map { patterns in
            patterns.map { pattern in
                (pattern.text, Set(paths.indices.filter { pattern.firstMatch(in: paths[$0]) != nil }))
            }
        }
        known = patterns.map { patterns in patterns.allSatisfy { [unknown] in !unknown.contains($0.text) } }
        matched = found.map { pieces in pieces.reduce(into: []) { $0.formUnion($1.1) } }
        own = found.map { pieces in
            pieces.map { text, matches in
                (text, Reach.isWholePath(text) ? matches.filter { !paths[$0].hasPrefix("/zz") } : matches)
            }
        }
    }

    /// Whether a pattern is meant as a whole path, such as `/posts/new$`, although it also matches `/zz/posts/new`.
    private static func isWholePath(_ pattern: String) -> Bool {
        let forms = PatternForms(pattern).forms
        return !forms.isEmpty
            && forms.allSatisfy { $0.rough.hasPrefix("/") && $0.rough.split(separator: "/").count > 1 }
    }

    /// Whether the linter knows a rule's paths. It cannot tell those of a pattern such as `/(a|b)/\1$`.
    func isKnown(_ rule: Int) -> Bool { known[rule] }

    /// The patterns of a rule that match a sample path, with these paths.
    func pieces(of rule: Int) -> [(pattern: String, paths: Set<Int>)] { own[rule].filter { !$0.paths.isEmpty } }

    /// The later rules that match all of these paths.
    func covering(_ paths: Set<Int>, after rule: Int) -> [Int] {
        matched.indices.dropFirst(rule + 1).filter { matched[$0].isSuperset(of: paths) }
    }

    /// The last rule that matches a path and meets the condition.
    func last(matching path: Int, where isMeant: (Int) -> Bool) -> Int? {
        matched.indices.last { matched[$0].contains(path) && isMeant($0) }
    }

    /// Whether the later rule also matches paths that the earlier one does not, or exactly the same.
    func isNoRefinement(_ later: Int, of earlier: Int) -> Bool {
        !matched[earlier].isSuperset(of: matched[later]) || matched[later].isSuperset(of: matched[earlier])
    }
}

/// Finds `uri`s that no fragment or activity of an Android app has.
///
/// hotwire-native-android looks for the destination of `uri`, then for that of `fallback_uri`. If the app has registered
/// neither, it logs an error and shows nothing (`Navigator.kt`, `navigateToLocation`).
extension PathLinter {
    mutating func checkDestinations(_ rules: [RuleText]) {
        guard vocabulary == .hotwireNative, platform != .ios else { return }
        let known = destinations.union(InterpretedProperties.frameworkDestinations)
        guard !rules.contains(where: { hasFallback($0, among: known) && $0.appliesEverywhere }) else { return }
        var places: [(uri: String, path: JSONPath, count: Int)] = []
        var indices: [String: Int] = [:]
        for rule in rules {
            guard let uri = rule.properties["uri"] as String?, !known.contains(uri), !hasFallback(rule, among: known)
            else { continue }
            if let index = indices[uri] {
                places[index].count += 1
            } else {
                indices[uri] = places.count
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

    /// Whether a rule sets a fallback that exists.
    private func hasFallback(_ rule: RuleText, among known: Set<String>) -> Bool {
        (rule.properties["fallback_uri"] as String?).map(known.contains) ?? false
    }
}

extension RuleText {
    fileprivate var appliesEverywhere: Bool { patterns.contains { PathLinter.everything.contains($0.text) } }
}
