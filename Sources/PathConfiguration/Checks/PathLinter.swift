import BridgeProtocol
public import Foundation

/// Reads a path configuration as a careful colleague would: what a platform refuses, what can't have been meant, what
/// never applies, and where iOS and Android part ways.
public struct PathLinter: Sendable {
    /// By place; of one place, errors first.
    public private(set) var findings: [LintFinding] = []

    /// What is found before its place in the text is.
    private(set) var remarks: [Remark] = []

    struct Remark {
        let severity: LintFinding.Severity
        let code: String
        let path: JSONPath
        let message: String
        let fix: String
        var pattern: InvalidPattern?
    }

    /// - Parameters:
    ///   - text: the file's bytes.
    ///   - urls: URLs of the app. Patterns that match none of them are reported; without any, this is not looked at.
    public init(_ text: some Sequence<UInt8>, urls: [URL] = [], matchQueryStrings: Bool = true) {
        let read: PathConfigurationText
        do throws(PathConfigurationError) {
            read = try PathConfigurationText(text)
        } catch {
            findings = [LintFinding(notJSON: error)]
            return
        }
        let places = read.places
        let rules = RuleText.all(in: read.json)
        checkShape(read.json)
        for rule in rules {
            checkPatterns(rule)
            checkProperties(rule)
        }
        checkReach(rules)
        checkProfiles(rules)
        checkMatches(rules, urls, matchQueryStrings: matchQueryStrings)
        checkDuplicates(places)
        findings = remarks.map { LintFinding($0, places) }.sorted {
            ($0.line, $0.column, $0.severity) < ($1.line, $1.column, $1.severity)
        }
    }

    mutating func remark(
        _ severity: LintFinding.Severity, _ code: String, at path: JSONPath, _ message: String, fix: String,
        pattern: InvalidPattern? = nil
    ) {
        remarks.append(
            Remark(severity: severity, code: code, path: path, message: message, fix: fix, pattern: pattern))
    }

    private mutating func checkDuplicates(_ places: JSONPlaces) {
        for duplicate in places.duplicates {
            remark(
                .warning, "duplicateKey", at: duplicate.path,
                "this key stands twice in its object, and overwrites line \(duplicate.place.line), column "
                    + "\(duplicate.place.column)",
                fix: "Remove one of them.")
        }
    }
}

extension LintFinding {
    fileprivate init(notJSON error: PathConfigurationError) {
        self.init(
            severity: .error, code: "notJSON", path: nil, line: error.line ?? 1, column: error.column ?? 1,
            message: error.message, fix: error.fix, pattern: nil)
    }

    fileprivate init(_ remark: PathLinter.Remark, _ places: JSONPlaces) {
        let place = places.place(of: remark.path)
        self.init(
            severity: remark.severity, code: remark.code, path: remark.path, line: place.line, column: place.column,
            message: remark.message, fix: remark.fix, pattern: remark.pattern)
    }
}
