/// The system that an app runs on. The frameworks of the two systems read the same path configuration differently.
public enum Platform: String, Sendable, CaseIterable {
    /// hotwire-native-ios: patterns are case-sensitive, and values must be written exactly.
    case ios
    /// hotwire-native-android: patterns and values ignore case, and patterns always apply to the query, too.
    case android

    /// The name for people: `iOS` or `Android`.
    public var name: String { self == .ios ? "iOS" : "Android" }

    var patternsAreCaseSensitive: Bool { self == .ios }

    /// Whether the empty pattern matches every path. ICU rejects it; `java.util.regex` finds it everywhere.
    var emptyPatternMatches: Bool { self == .android }
}
