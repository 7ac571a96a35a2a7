/// A place in which two JSON values differ.
public struct JSONDifference: Sendable, Equatable {
    public let place: JSONPointer
    /// The recorded value as JSON, or `nothing`.
    public let recorded: String
    /// The value in the other run as JSON, or `nothing`.
    public let now: String

    /// Compares two values.
    ///
    /// - Parameters:
    ///   - ignored: the places that may differ, including everything inside them. The token `*` matches any one token.
    ///   - isSame: whether two texts that may differ mean the same in their runs.
    /// - Returns: the innermost places that differ.
    public static func between(
        _ recorded: JSONValue?, _ now: JSONValue?, ignoring ignored: [JSONPointer],
        at place: JSONPointer = JSONPointer(), isSame: (String, String) -> Bool = { _, _ in false }
    ) -> [JSONDifference] {
        guard !ignored.contains(where: { matches($0, place) }) else { return [] }
        switch (recorded, now) {
        case (.object(let old)?, .object(let new)?):
            let (oldByKey, newByKey) = (byKey(old), byKey(new))
            let added = new.map(\.key).filter { oldByKey[$0] == nil }
            return (old.map(\.key) + added).flatMap { key in
                between(oldByKey[key], newByKey[key], ignoring: ignored, at: place.appending(key), isSame: isSame)
            }
        case (.array(let old)?, .array(let new)?):
            return (0..<max(old.count, new.count)).flatMap { index in
                between(
                    recorded?[index], now?[index], ignoring: ignored, at: place.appending(String(index)), isSame: isSame
                )
            }
        case (.string(let old)?, .string(let new)?) where isSame(old, new): return []
        default:
            guard recorded != now else { return [] }
            return [JSONDifference(place: place, recorded: recorded?.text ?? "nothing", now: now?.text ?? "nothing")]
        }
    }

    private static func byKey(_ members: [JSONValue.Member]) -> [String: JSONValue] {
        Dictionary(members.map { ($0.key, $0.value) }) { $1 }
    }

    private static func matches(_ ignored: JSONPointer, _ place: JSONPointer) -> Bool {
        ignored.tokens.count == place.tokens.count
            && zip(ignored.tokens, place.tokens).allSatisfy { $0 == "*" || $0 == $1 }
    }
}
