public import BridgeProtocol
public import Foundation

/// The reasons for a URL's properties: what each rule contributes, in order.
public struct PathExplanation: Sendable {
    public struct Step: Sendable {
        /// The rule's number in the file, from 1. The built-in rules follow.
        public let number: Int
        public let rule: PathRule
        public let match: Match?
        /// The pattern whose search took too long. If there is one, the rule and all later ones may match nothing
        /// although they would.
        public let slowPattern: String?
        /// The properties that the rule sets, sorted by name. Empty if it does not match.
        public internal(set) var settings: [Setting] = []
    }

    /// The first pattern of a rule that matches, and the part of the path that it matches.
    public struct Match: Sendable {
        public let pattern: String
        public let part: String
    }

    /// A property that a rule sets.
    public struct Setting: Sendable {
        public let key: String
        public let value: JSONValue
        /// The number of the last rule that sets the property again.
        public internal(set) var overriddenBy: Int?
    }

    public let url: URL
    /// The text that patterns are matched against.
    public let subject: String
    public let steps: [Step]
    public let properties: PathProperties
    public let interpreted: InterpretedProperties
    /// What a navigator does with the URL in each state of the app. Empty for Android, whose navigation is not
    /// emulated.
    public let meanings: [NavigationMeaning]

    /// - Parameter meanings: Describes what a navigator does with the properties. `EmulatedApp` has such a function.
    public init(
        _ url: URL, in document: PathConfigurationDocument,
        meanings: (InterpretedProperties) -> [NavigationMeaning] = { _ in [] }
    ) {
        let subject = document.subject(url)
        var lookUp = PathLookUp()
        var steps = document.rules.enumerated().map { index, rule in
            let match = lookUp.match(rule, subject).map { Match(pattern: $0.pattern.text, part: String($0.part)) }
            let slow = rule.patterns.map(\.text).first { $0 == lookUp.slowPattern }
            return Step(number: index + 1, rule: rule, match: match, slowPattern: slow)
        }
        var lastSetter: [String: Int] = [:]
        for index in steps.indices.reversed() where steps[index].match != nil {
            let values = steps[index].rule.properties.values.sorted { $0.key < $1.key }
            steps[index].settings = values.map { Setting(key: $0, value: $1, overriddenBy: lastSetter[$0]) }
            for (key, _) in values where lastSetter[key] == nil { lastSetter[key] = index + 1 }
        }
        self.url = url
        self.subject = subject
        self.steps = steps
        properties = document.properties(for: subject)
        interpreted = properties.interpreted(as: document.options.platform, document.options.vocabulary)
        self.meanings = meanings(interpreted)
    }

    /// The number of the rule whose value for a property is in force.
    public func setter(of key: String) -> Int? {
        steps.first { $0.settings.contains { $0.key == key && $0.overriddenBy == nil } }?.number
    }
}

/// What a navigator does with a proposed visit in one state of the app, in words.
public struct NavigationMeaning: Sendable, Equatable {
    /// `no modal`, `modal`, `modal of 1 screen`, `modal of 2 or more`, or `any`.
    public let state: String
    /// What happens to the stacks, and what is visited.
    public let text: String

    public init(state: String, text: String) {
        self.state = state
        self.text = text
    }
}

// MARK: JSON

extension PathExplanation: JSONObject {
    public var members: JSONMembers {
        [
            "url": url.absoluteString, "profile": interpreted.platform.rawValue, "subject": subject, "rules": steps,
            "properties": properties, "interpreted": interpreted, "meaning": meanings,
        ]
    }
}

extension PathExplanation.Step: JSONObject {
    public var members: JSONMembers {
        [
            "rule": number, "builtIn": rule.isBuiltIn, "patterns": rule.patterns.map(\.text), "slow": slowPattern,
            "skipped": rule.skipped.isEmpty ? nil : rule.skipped.map(\.error.pattern), "matched": match != nil,
            "pattern": match?.pattern, "part": match?.part, "sets": settings,
        ]
    }
}

extension PathExplanation.Setting: JSONObject {
    public var members: JSONMembers { ["key": key, "value": value, "overriddenBy": overriddenBy] }
}

extension NavigationMeaning: JSONObject {
    public var members: JSONMembers { ["state": state, "text": text] }
}
