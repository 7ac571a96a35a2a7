/// Whose rules a path configuration is read by: the two frameworks differ in more than they say.
public enum Platform: String, Sendable, CaseIterable {
    /// hotwire-native-ios: patterns tell upper from lower case, values are exact strings.
    case ios
    /// hotwire-native-android: patterns and values ignore case, the query always takes part.
    case android

    /// The name that people know.
    public var name: String { self == .ios ? "iOS" : "Android" }

    /// Whether `/New` and `/new` are two paths.
    var patternsTellCase: Bool { self == .ios }

    /// ICU refuses the empty pattern; java.util.regex finds it everywhere.
    var emptyPatternMatches: Bool { self == .android }

    /// Android has no switch for it: a query always takes part.
    func matchesQuery(asked: Bool) -> Bool { self == .android || asked }
}
