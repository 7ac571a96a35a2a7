/// A rule of a path configuration: if any of its patterns matches a path, its properties apply.
public struct PathRule: Sendable {
    /// A pattern that its rule ignores, because it is not a valid regular expression.
    public struct SkippedPattern: Sendable, Equatable {
        /// The index among all patterns of the rule, from 0.
        public let index: Int
        public let error: InvalidPattern
    }

    /// The valid patterns, in order.
    public let patterns: [PathPattern]
    public let properties: PathProperties
    public let skipped: [SkippedPattern]
    /// Whether this is one of the three rules for historical locations.
    public let isBuiltIn: Bool

    public init(patterns: [String], properties: PathProperties, platform: Platform = .ios) {
        self.init(patterns: patterns, properties: properties, platform: platform, isBuiltIn: false)
    }

    private init(patterns texts: [String], properties: PathProperties, platform: Platform, isBuiltIn: Bool) {
        var patterns: [PathPattern] = []
        var skipped: [SkippedPattern] = []
        for (index, text) in texts.enumerated() {
            do throws(InvalidPattern) {
                patterns.append(try PathPattern(text, platform: platform))
            } catch {
                skipped.append(SkippedPattern(index: index, error: error))
            }
        }
        self.patterns = patterns
        self.properties = properties
        self.isBuiltIn = isBuiltIn
        self.skipped = skipped
    }

    /// Whether any pattern matches the path, which is searched as it is, including a query.
    public func match(path: String) -> Bool {
        var lookUp = PathLookUp()
        return lookUp.match(self, path) != nil
    }

    /// The rules for Turbo's historical locations, which turbo-rails' `recede_or_redirect_to` and its siblings use.
    ///
    /// They come after all other rules, so nothing overrides them.
    public static func historicalLocations(_ platform: Platform = .ios) -> [PathRule] {
        let presentations: [(String, Presentation)] = [("recede", .pop), ("resume", .none), ("refresh", .refresh)]
        return presentations.map { name, presentation in
            PathRule(
                patterns: ["/\(name)_historical_location"],
                properties: [
                    "presentation": .string(presentation.rawValue), "context": "default", "historical_location": true,
                ],
                platform: platform, isBuiltIn: true)
        }
    }
}
