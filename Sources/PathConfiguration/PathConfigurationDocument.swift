public import BridgeProtocol
public import Foundation

/// The contents of one path configuration file: settings and rules, read once, ready for look-ups. A value without I/O.
public struct PathConfigurationDocument: Sendable {
    public struct Options: Sendable, Equatable {
        public var profile = Platform.ios
        /// Whether a URL's query takes part: patterns are then searched in `path?query`. Android always does so.
        public var matchQueryStrings = true
        /// Whether the three rules for historical locations are there. TurboNavigator left them to the app.
        public var includesHistoricalLocations = true

        public init(
            profile: Platform = .ios, matchQueryStrings: Bool = true, includesHistoricalLocations: Bool = true
        ) {
            self.profile = profile
            self.matchQueryStrings = matchQueryStrings
            self.includesHistoricalLocations = includesHistoricalLocations
        }
    }

    /// `{}` where the text has none, or something other than an object.
    public let settings: [String: JSONValue]
    /// The rules of the text in order, then the built-in ones.
    public let rules: [PathRule]
    public let options: Options
    /// Patterns that were skipped, with their places. Nothing else of the text is lost by them.
    public private(set) var problems: [PathConfigurationError] = []

    /// A pattern, as a look-up first sees it: without anything that is counted by reference, which would cost more than
    /// the test itself.
    private struct Candidate {
        let rule: Int
        let pattern: Int
        let pairs: BytePairs
    }

    /// All patterns in order.
    private let candidates: [Candidate]

    /// A configuration without rules of its own.
    public init(options: Options = Options()) { self.init(settings: [:], rules: [], options: options) }

    private init(settings: [String: JSONValue], rules: [PathRule], options: Options) {
        let builtIn = options.includesHistoricalLocations ? PathRule.historicalLocations(options.profile) : []
        self.settings = settings
        self.rules = rules + builtIn
        self.options = options
        candidates = self.rules.enumerated().flatMap { rule, contents in
            contents.patterns.enumerated().map { Candidate(rule: rule, pattern: $0, pairs: $1.needed.pairs) }
        }
    }

    /// Reads a file's bytes.
    /// - Throws: ``PathConfigurationError`` with line and JSON path, for text that is not JSON and for a shape that the
    ///   platforms refuse as a whole. An invalid pattern is no error here: it is skipped, see
    ///   ``problems``.
    public init(_ data: some Sequence<UInt8>, options: Options = Options()) throws(PathConfigurationError) {
        let text = try PathConfigurationText(data)
        do throws(PathConfigurationError) {
            try self.init(text.json, options: options)
        } catch {
            throw error.placed(text.places)
        }
        guard !problems.isEmpty else { return }
        let places = text.places
        problems = problems.map { $0.placed(places) }
    }

    /// Reads a configuration that is part of a larger JSON text. The error then has a JSON path and no line.
    public init(_ json: JSON, options: Options = Options()) throws(PathConfigurationError) {
        if let error = PathConfigurationShape(json).errors.first { throw error }
        let texts = RuleText.all(in: json)
        let rules = texts.map { text in
            PathRule(patterns: text.patterns.map(\.text), properties: text.properties, profile: options.profile)
        }
        self.init(settings: json["settings"].map { PathProperties($0).values } ?? [:], rules: rules, options: options)
        for (text, rule) in zip(texts, rules) {
            problems += rule.skipped.map { PathConfigurationError($0.error, at: text.patterns[$0.index].path) }
        }
    }

    /// What all matching rules say about the URL.
    public func properties(for url: URL) -> PathProperties { properties(for: subject(url)) }

    /// What all matching rules say about a path as it stands, with its query if it has one.
    public func properties(for path: String) -> PathProperties { properties(for: PathSubject(path: path)) }

    func properties(for subject: PathSubject) -> PathProperties {
        var properties = PathProperties()
        var matched = -1
        for candidate in candidates where candidate.rule != matched && subject.pairs.contains(candidate.pairs) {
            let rule = rules[candidate.rule]
            guard rule.patterns[candidate.pattern].matches(subject) else { continue }
            properties.merge(rule.properties)
            matched = candidate.rule
        }
        return properties
    }

    public subscript(url: URL) -> PathProperties { properties(for: url) }
    public subscript(path: String) -> PathProperties { properties(for: path) }

    /// What patterns are searched in.
    func subject(_ url: URL) -> PathSubject {
        PathSubject(url, withQuery: options.profile.matchesQuery(asked: options.matchQueryStrings))
    }
}
