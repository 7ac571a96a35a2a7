/// A pattern that was left out of its rule.
public struct SkippedPattern: Sendable, Equatable {
    /// Its place among the patterns of its rule. From 0.
    public let index: Int
    public let error: InvalidPattern
}

/// One rule: where any of its patterns matches, its properties apply.
public struct PathRule: Sendable {
    /// In order, those that can be searched for.
    public let patterns: [PathPattern]
    public let properties: PathProperties
    /// Those that were skipped.
    public let skipped: [SkippedPattern]
    /// Whether it is one of the three that are always there.
    public let isBuiltIn: Bool

    public init(patterns: [String], properties: PathProperties, profile: Platform = .ios) {
        self.init(patterns: patterns, properties: properties, profile: profile, isBuiltIn: false)
    }

    private init(patterns texts: [String], properties: PathProperties, profile: Platform, isBuiltIn: Bool) {
        var patterns: [PathPattern] = []
        var skipped: [SkippedPattern] = []
        for (index, text) in texts.enumerated() {
            do throws(InvalidPattern) {
                patterns.append(try PathPattern(text, profile: profile))
            } catch {
                skipped.append(SkippedPattern(index: index, error: error))
            }
        }
        self.patterns = patterns
        self.properties = properties
        self.isBuiltIn = isBuiltIn
        self.skipped = skipped
    }

    /// Whether any pattern matches the path as it stands, with its query if it has one.
    public func match(path: String) -> Bool {
        let subject = PathSubject(path: path)
        return patterns.contains { $0.matches(subject) }
    }

    /// The rules for Turbo's historical locations (turbo-rails' `recede_or_redirect_to` and its siblings). They stand
    /// after all others, so that nothing overrides them.
    public static func historicalLocations(_ profile: Platform = .ios) -> [PathRule] {
        let presentations: [(String, Presentation)] = [("recede", .pop), ("resume", .none), ("refresh", .refresh)]
        return presentations.map { name, presentation in
            PathRule(
                patterns: ["/\(name)_historical_location"],
                properties: [
                    "presentation": .string(presentation.rawValue), "context": "default", "historical_location": true,
                ],
                profile: profile, isBuiltIn: true)
        }
    }
}
