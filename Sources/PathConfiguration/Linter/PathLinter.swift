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
        // The other checks take too long for more patterns than the daemon reads.
        if let error = PathConfigurationDocument.tooManyPatterns(rules, read.json) {
            report(
                .error, "tooManyPatterns", at: error.path ?? .root, "\(error.message): nothing else was checked",
                fix: error.fix)
            return
        }
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

/// Finds mistakes for which both platforms reject the whole file, and keys that neither of them reads.
extension PathLinter {
    private mutating func checkShape(_ json: JSON) {
        for error in PathConfigurationShape(json).errors {
            report(
                .error, "wrongShape", at: error.path ?? .root, "\(error.message): the platforms reject the whole file",
                fix: error.fix)
        }
        checkKeys(of: json, at: .root, known: ["settings", "rules"])
        if let settings = json["settings"], settings.kind != .object {
            report(
                .warning, "wrongSettings", at: JSONPath.root.member("settings"),
                "expected an object, found \(settings.summary): the app has no settings",
                fix: "Write \"settings\": {}.")
        }
        guard let rules = json["rules"], rules.kind == .array else { return }
        for index in 0..<rules.count {
            guard let rule = rules[index] else { continue }
            let path = JSONPath.root.member("rules").element(index)
            checkKeys(of: rule, at: path, known: ["patterns", "properties"])
            guard let patterns = rule["patterns"], patterns.kind == .array, patterns.count == 0 else { continue }
            report(
                .warning, "noPatterns", at: path.member("patterns"), "a rule without patterns never applies",
                fix: "Write [\".*\"] to match every path, or remove the rule.")
        }
    }

    private mutating func checkKeys(of object: JSON, at path: JSONPath, known: [String]) {
        object.forEachMember { key, _ in
            // The frameworks' own demo apps have comments in their rules.
            guard !known.contains(key), key != "comment" else { return }
            let nearest = EditDistance.nearest(to: key, in: known.filter { object[$0] == nil })
            report(
                .warning, "unknownKey", at: path.member(key), "neither platform reads \(JSONValue.string(key))",
                fix: nearest.map { "Did you mean \"\($0)\"?" }
                    ?? "Use \(known.joined(separator: " or ")); keys of your own belong in settings or properties.")
        }
    }
}

/// Finds keys and values that the platforms silently ignore or read as something else.
extension PathLinter {
    private mutating func checkProperties(_ rule: RuleText) {
        for (key, value) in rule.properties.values {
            let path = rule.path(of: key)
            if let known = vocabulary.choices[key] {
                checkChoice(value, among: known, at: path)
            } else if vocabulary.flags.contains(key) {
                checkFlag(value, at: path)
            } else if vocabulary.texts.contains(key) {
                if value.string == nil {
                    expect("a string", value, at: path, "it counts as missing", fix: "Write it in quotes.")
                }
            } else {
                checkKey(key, at: path, rule)
            }
        }
        checkHistoricalLocations(rule)
    }

    private mutating func checkKey(_ key: String, at path: JSONPath, _ rule: RuleText) {
        guard !PathVocabulary.hotwireNative.keys.contains(key) else {
            return report(
                .warning, "unknownKey", at: path, "this release does not read \(JSONValue.string(key))",
                fix: "Nothing to do if the app's own code reads it.")
        }
        let free = vocabulary.keys.filter { rule.properties.values[$0] == nil }
        let plain = PathLinter.snakeCase(key)
        guard let meant = free.first(where: { $0 == plain }) ?? EditDistance.nearest(to: key, in: free) else { return }
        report(
            .warning, "unknownKey", at: path,
            "\(vocabulary == .hotwireNative ? "no platform reads" : "this release does not read") \(JSONValue.string(key))",
            fix: "Did you mean \"\(meant)\"? If it is a property of your own app, ignore this.")
    }

    private mutating func checkChoice(_ value: JSONValue, among known: [String], at path: JSONPath) {
        let expected = "one of \(known.joined(separator: ", "))"
        guard let text = value.string else {
            return expect(expected, value, at: path, "it counts as default", fix: "Write \(expected).")
        }
        guard !known.contains(text) else { return }
        let plain = PathLinter.snakeCase(text.filter { $0 != " " })
        let meant = known.first { $0 == plain || $0 == text.lowercased() } ?? EditDistance.nearest(to: text, in: known)
        expect(
            expected, value, code: "unknownValue", at: path,
            "it counts as default\(known.contains(text.lowercased()) ? " on iOS" : "")",
            fix: meant.map { "Did you mean \"\($0)\"?" } ?? "Write \(expected).")
    }

    private mutating func checkFlag(_ value: JSONValue, at path: JSONPath) {
        guard value.bool == nil else { return }
        let onIOS = value.boolOnIOS.map { "iOS reads \($0)" } ?? "iOS uses the default"
        expect(
            "true or false", value, at: path, "\(onIOS), and Android crashes when it reads the value",
            fix: "Write true or false.")
    }

    private mutating func expect(
        _ expected: String, _ value: JSONValue, code: String = "wrongType", at path: JSONPath, _ consequence: String,
        fix: String
    ) {
        report(.warning, code, at: path, "expected \(expected), found \(value.summary): \(consequence)", fix: fix)
    }

    /// Reports rules for historical locations. The built-in rules come last, so their properties can't be overridden.
    private mutating func checkHistoricalLocations(_ rule: RuleText) {
        guard includesHistoricalLocations else { return }
        let fixed = ["context", "presentation", "historical_location"].filter { rule.properties.values[$0] != nil }
        guard !fixed.isEmpty else { return }
        for (path, text) in rule.patterns where text.contains("_historical_location") {
            report(
                .warning, "builtIn", at: path,
                "a built-in rule for this location comes last and overrides \(fixed.joined(separator: ", "))",
                fix: "Remove the rule, or give the location another name.")
        }
    }

    /// Turns `modalStyle`, `modal-style` and `Modal Style` into `modal_style`.
    private static func snakeCase(_ name: String) -> String {
        var text = ""
        for character in name {
            if character.isUppercase, let last = text.last, last != "_" { text += "_" }
            text += character == "-" || character == " " ? "_" : character.lowercased()
        }
        return text
    }
}

/// Finds what iOS and Android read differently. In a file for one of them, it finds only what that one reads otherwise.
extension PathLinter {
    private mutating func checkPlatforms(_ rules: [RuleText]) {
        for rule in rules {
            for (path, text) in rule.patterns { checkPattern(text, at: path) }
            if rule.properties.values["presentation"] == "push", vocabulary == .hotwireNative {
                differs(
                    on: .ios, at: rule.path(of: "presentation"),
                    "iOS does not know \"push\" and treats it as \"default\"",
                    "Write \"default\", which also pushes.")
            }
            if rule.properties.values["presentation"] == "replace_root", rule.properties.values["context"] == "modal" {
                differs(
                    on: .android, at: rule.path(of: "presentation"),
                    "on Android, a modal that replaces the root ends the app",
                    "Write \"context\": \"default\".")
            }
        }
        guard vocabulary == .hotwireNative else { return }
        for key in ["view_controller", "modal_style", "modal_dismiss_gesture_enabled"] {
            checkReader(of: key, .ios, other: .android, rules)
        }
        for key in ["uri", "fallback_uri", "title"] { checkReader(of: key, .android, other: .ios, rules) }
    }

    /// Reports a key that only one platform reads: once, at its first place.
    private mutating func checkReader(of key: String, _ reader: Platform, other: Platform, _ rules: [RuleText]) {
        let places = rules.filter { $0.properties.values[key] != nil }.map { $0.path(of: key) }
        guard let first = places.first else { return }
        let count = places.count > 1 ? ", which \(places.count) rules set" : ""
        differs(
            on: other, at: first, "\(other.name) does not read \(key)\(count)",
            "Nothing to do if the file is for \(reader.name).")
    }

    private mutating func checkPattern(_ text: String, at path: JSONPath) {
        if text.isEmpty {
            differs(
                on: .ios, at: path, "iOS skips the empty pattern; on Android it matches every path",
                "Write \".*\" to match every path.")
        }
        // A letter after a backslash names a class or a position, such as \S, and has no case.
        let letters = text.replacing(/\\./, with: "")
        if letters.contains(where: { $0.isASCII && $0.isUppercase }) {
            differs(
                on: .android, at: path, "this pattern is case-sensitive on iOS, but not on Android",
                "Begin it with (?i) to ignore case on both.")
        }
        if text.contains("[[:") {
            differs(
                on: .android, at: path, "Android's regular expressions do not support [[:name:]] classes",
                "Write \\\\d or \\\\p{Digit}.")
        }
    }

    /// - Parameter platform: the one that does not read the file as written. A file for the other one is fine.
    private mutating func differs(on platform: Platform, at path: JSONPath, _ message: String, _ fix: String) {
        guard self.platform == nil || self.platform == platform else { return }
        report(.note, "platformsDiffer", at: path, message, fix: fix)
    }
}
