public import BridgeProtocol
public import Foundation

/// The settings and rules of one path configuration file. It is a value type that is read once and does no I/O.
public struct PathConfigurationDocument: Sendable {
    public struct Options: Sendable, Equatable {
        public var platform = Platform.ios
        /// Whether patterns are matched against `path?query` instead of the path alone. On Android they always are.
        public var matchQueryStrings = true
        /// Whether the three rules for historical locations are included. TurboNavigator left them to the app.
        public var includesHistoricalLocations = true
        /// The text of a URL that patterns are matched against.
        public var subject = PathSubject.encoded
        /// The properties that are read.
        public var vocabulary = PathVocabulary.hotwireNative

        public init(
            platform: Platform = .ios, matchQueryStrings: Bool = true, includesHistoricalLocations: Bool = true,
            subject: PathSubject = .encoded, vocabulary: PathVocabulary = .hotwireNative
        ) {
            self.platform = platform
            self.matchQueryStrings = matchQueryStrings
            self.includesHistoricalLocations = includesHistoricalLocations
            self.subject = subject
            self.vocabulary = vocabulary
        }
    }

    /// How many patterns a file may have. Each takes some microseconds of every look-up.
    private static let maximumPatterns = 10_000
    /// How many skipped patterns are reported.
    private static let maximumProblems = 100

    /// The file's settings. Empty if it has none, or if they are not an object.
    public let settings: [String: JSONValue]
    /// The file's rules in order, followed by the built-in ones.
    public let rules: [PathRule]
    public let options: Options
    /// The patterns that were skipped, with their places. The rest of the file is in force.
    public private(set) var problems: [PathConfigurationError] = []

    /// A configuration with the built-in rules only.
    public init(options: Options = Options()) { self.init(settings: [:], rules: [], options: options) }

    private init(settings: [String: JSONValue], rules: [PathRule], options: Options) {
        self.settings = settings
        self.rules = rules + (options.includesHistoricalLocations ? PathRule.historicalLocations(options.platform) : [])
        self.options = options
    }

    /// Reads a file's bytes.
    ///
    /// An invalid pattern is not an error: it is skipped and reported in ``problems``.
    /// - Throws: ``PathConfigurationError`` with line and JSON path if the text is not JSON, or has a shape for which
    ///   the platforms reject the whole file.
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

    /// Reads a configuration that is part of a larger JSON text.
    /// - Throws: ``PathConfigurationError`` with a JSON path, but without a line.
    public init(_ json: JSON, options: Options = Options()) throws(PathConfigurationError) {
        if let error = PathConfigurationShape(json).errors.first { throw error }
        let texts = RuleText.all(in: json)
        if let error = PathConfigurationDocument.tooManyPatterns(texts, json) { throw error }
        let rules = texts.map { text in
            PathRule(patterns: text.patterns.map(\.text), properties: text.properties, platform: options.platform)
        }
        self.init(settings: json["settings"].map { PathProperties($0).values } ?? [:], rules: rules, options: options)
        for (text, rule) in zip(texts, rules) where problems.count < PathConfigurationDocument.maximumProblems {
            problems += rule.skipped.map { PathConfigurationError($0.error, at: text.patterns[$0.index].path) }
        }
    }

    /// The error for a file with more patterns than are read; nil if it has not.
    static func tooManyPatterns(_ rules: [RuleText], _ json: JSON) -> PathConfigurationError? {
        guard rules.lazy.map(\.patterns.count).reduce(0, +) > maximumPatterns else { return nil }
        return PathConfigurationError(
            JSONPath.root.member("rules"), expected: "at most \(maximumPatterns) patterns", found: json["rules"],
            fix: "Write fewer patterns that match more.")
    }

    /// The same rules, read with other options. A pattern that is invalid with the present ones stays skipped.
    public func read(as options: Options) -> PathConfigurationDocument {
        let own = rules.filter { !$0.isBuiltIn }.map {
            PathRule(patterns: $0.patterns.map(\.text), properties: $0.properties, platform: options.platform)
        }
        return PathConfigurationDocument(settings: settings, rules: own, options: options)
    }

    /// The merged properties of all rules that match the URL.
    public func properties(for url: URL) -> PathProperties { properties(for: subject(url)) }

    /// The merged properties of all rules that match the path, which is searched as it is, including a query.
    public func properties(for path: String) -> PathProperties {
        lookUp(path).properties
    }

    /// Looks a path up, within `PatternBudget`.
    /// - Parameter excluded: patterns that are not tried.
    func lookUp(_ path: String, without excluded: Set<String> = []) -> PathLookUp {
        var lookUp = PathLookUp()
        for rule in rules { lookUp.add(rule, path, without: excluded) }
        return lookUp
    }

    public subscript(url: URL) -> PathProperties { properties(for: url) }
    public subscript(path: String) -> PathProperties { properties(for: path) }

    /// The text that patterns are matched against.
    func subject(_ url: URL) -> String {
        options.subject.text(of: url, withQuery: options.platform == .android || options.matchQueryStrings)
    }
}
