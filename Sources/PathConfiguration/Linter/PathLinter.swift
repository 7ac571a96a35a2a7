import BridgeProtocol
public import Foundation

/// Checks a path configuration for mistakes: what a platform rejects, what is unlikely to be meant, what never applies,
/// and what iOS and Android read differently.
public struct PathLinter: Sendable {
    /// The findings in the order of their places. At the same place, errors come first.
    public private(set) var findings: [LintFinding] = []

    private var places = JSONPlaces([])
    /// The system that the file is for; nil for both.
    let platform: Platform?
    /// Whether the rules of historical locations are built in.
    let includesHistoricalLocations: Bool
    let subject: PathSubject
    /// The properties that are read.
    let vocabulary: PathVocabulary
    /// Whether patterns are matched against the query, too.
    let matchesQuery: Bool
    /// The destinations that the Android app registers beside those of the framework.
    let destinations: Set<String>

    /// - Parameters:
    ///   - text: The file's bytes.
    ///   - urls: URLs of the app. Patterns that match none of them are reported. If empty, this is not checked.
    ///   - destinations: the `uri`s of the Android app's own fragments and activities.
    ///   - options: how the only release that reads the file does so; nil if the file is for both platforms.
    public init(
        _ text: some Sequence<UInt8>, urls: [URL] = [], matchQueryStrings: Bool = true,
        destinations: Set<String> = [], for options: PathConfigurationDocument.Options? = nil
    ) {
        platform = options?.platform
        includesHistoricalLocations = options?.includesHistoricalLocations ?? true
        subject = options?.subject ?? .encoded
        vocabulary = options?.vocabulary ?? .hotwireNative
        matchesQuery = matchQueryStrings || options?.platform == .android
        self.destinations = destinations
        let read: PathConfigurationText
        do throws(PathConfigurationError) {
            read = try PathConfigurationText(text)
        } catch {
            findings = [
                LintFinding(
                    severity: .error, code: "notJSON", path: nil, line: error.line ?? 1, column: error.column ?? 1,
                    message: error.message, fix: error.fix, pattern: nil)
            ]
            return
        }
        places = read.places
        let rules = RuleText.all(in: read.json)
        checkShape(read.json)
        checkCommas(read.trailingCommas)
        for rule in rules {
            checkPatterns(rule)
            checkProperties(rule)
        }
        checkReach(rules)
        checkPlatforms(rules)
        checkDestinations(rules)
        checkMatches(rules, urls)
        for duplicate in places.duplicates {
            let (line, column) = (duplicate.overridden.line, duplicate.overridden.column)
            report(
                .warning, "duplicateKey", at: duplicate.path,
                "this key appears twice in its object and overrides line \(line), column \(column)",
                fix: "Remove one of them.")
        }
        findings.sort { ($0.line, $0.column, $0.severity) < ($1.line, $1.column, $1.severity) }
    }

    private mutating func checkCommas(_ commas: [(line: Int, column: Int)]) {
        for comma in commas {
            findings.append(
                LintFinding(
                    severity: .warning, code: "trailingComma", path: nil, line: comma.line, column: comma.column,
                    message: "this comma comes before a closing bracket, which iOS accepts and JSON does not",
                    fix: "Remove it.", pattern: nil))
        }
    }

    mutating func report(
        _ severity: LintFinding.Severity, _ code: String, at path: JSONPath, _ message: String, fix: String,
        pattern: InvalidPattern? = nil
    ) {
        let place = places.place(of: path)
        findings.append(
            LintFinding(
                severity: severity, code: code, path: path, line: place.line, column: place.column, message: message,
                fix: fix, pattern: pattern))
    }
}
