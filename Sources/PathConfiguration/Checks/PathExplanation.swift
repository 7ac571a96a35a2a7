public import BridgeProtocol
public import Foundation

/// Why a URL has the properties that it has: what each rule did, in order.
public struct PathExplanation: Sendable {
    public struct Step: Sendable {
        /// From 1, in the file's order; the built-in rules follow.
        public let number: Int
        public let rule: PathRule
        public let match: Match?
        /// Sorted by name. Empty where nothing matched.
        public internal(set) var settings: [Setting] = []
    }

    /// The first pattern of a rule that matched, and what.
    public struct Match: Sendable {
        public let pattern: String
        public let part: String
    }

    /// A property that a rule set.
    public struct Setting: Sendable {
        public let key: String
        public let value: JSONValue
        /// The number of the rule that set it again, and lasted.
        public internal(set) var overriddenBy: Int?
    }

    public let url: URL
    /// What patterns were searched in.
    public let subject: String
    public let steps: [Step]
    public let properties: PathProperties
    public let interpreted: InterpretedProperties
    /// What a navigator does with it, for each state that the app can be in. None for Android, whose navigation is
    /// not ours to tell.
    public let meanings: [NavigationMeaning]

    /// - Parameter meanings: what a navigator does with the properties; `EmulatedApp` has one.
    public init(
        _ url: URL, in document: PathConfigurationDocument,
        meanings: (InterpretedProperties) -> [NavigationMeaning] = { _ in [] }
    ) {
        let subject = document.subject(url)
        var steps = document.rules.enumerated().map { index, rule in
            Step(number: index + 1, rule: rule, match: rule.firstMatch(in: subject))
        }
        var lastSetter: [String: Int] = [:]
        for index in steps.indices.reversed() where steps[index].match != nil {
            let values = steps[index].rule.properties.values.sorted { $0.key < $1.key }
            steps[index].settings = values.map { Setting(key: $0, value: $1, overriddenBy: lastSetter[$0]) }
            for (key, _) in values where lastSetter[key] == nil { lastSetter[key] = index + 1 }
        }
        self.url = url
        self.subject = subject.text
        self.steps = steps
        properties = document.properties(for: subject)
        interpreted = properties.interpreted(as: document.options.profile)
        self.meanings = meanings(interpreted)
    }

    /// The rule that had the last word on a property.
    public func setter(of key: String) -> Int? {
        steps.first { $0.settings.contains { $0.key == key && $0.overriddenBy == nil } }?.number
    }
}

extension PathRule {
    fileprivate func firstMatch(in subject: PathSubject) -> PathExplanation.Match? {
        for pattern in patterns {
            guard let part = pattern.firstMatch(in: subject) else { continue }
            return PathExplanation.Match(pattern: pattern.text, part: String(part))
        }
        return nil
    }
}

extension PathExplanation: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("url", url.absoluteString)
            writer.member("profile", interpreted.profile.rawValue)
            writer.member("subject", subject)
            writer.member("rules", steps)
            writer.member("properties", properties)
            writer.member("interpreted", interpreted)
            writer.member("meaning", meanings)
        }
    }
}

extension PathExplanation.Step: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("rule", number)
            writer.member("builtIn", rule.isBuiltIn)
            writer.member("patterns", rule.patterns.map(\.text))
            if !rule.skipped.isEmpty { writer.member("skipped", rule.skipped.map(\.error.pattern)) }
            writer.member("matched", match != nil)
            writer.member("pattern", ifPresent: match?.pattern)
            writer.member("part", ifPresent: match?.part)
            writer.member("sets", settings)
        }
    }
}

extension PathExplanation.Setting: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("key", key)
            writer.member("value", value)
            writer.member("overriddenBy", ifPresent: overriddenBy)
        }
    }
}
