/// The look-up of one path in all rules of a configuration, within one `PatternBudget`.
public struct PathLookUp: Sendable {
    public private(set) var properties = PathProperties()
    /// The pattern whose search took too long. It and the regular expressions that were not tried after it count as not
    /// matching.
    public private(set) var slowPattern: String?
    private var budget: PatternBudget

    init(budget: PatternBudget = PatternBudget()) { self.budget = budget }

    /// Adds the properties of a rule if it matches.
    /// - Parameter excluded: patterns that are not tried.
    mutating func add(_ rule: PathRule, _ path: String, without excluded: Set<String>) {
        if match(rule, path, without: excluded) != nil { properties.merge(rule.properties) }
    }

    /// - Returns: the first pattern of the rule that matches, and the part of the path that it matches.
    mutating func match(
        _ rule: PathRule, _ path: String, without excluded: Set<String> = []
    ) -> (pattern: PathPattern, part: Substring)? {
        for pattern in rule.patterns where excluded.isEmpty || !excluded.contains(pattern.text) {
            switch pattern.search(path, &budget) {
            case .found(let part): return (pattern, part)
            case .notFound: continue
            case .gaveUp: slowPattern = slowPattern ?? pattern.text
            }
        }
        return nil
    }
}
