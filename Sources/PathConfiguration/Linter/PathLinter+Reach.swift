import BridgeProtocol

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
