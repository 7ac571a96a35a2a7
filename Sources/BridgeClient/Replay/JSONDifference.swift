public import BridgeProtocol

/// One place in which two JSON values differ.
public struct JSONDifference: Sendable, Equatable {
    public let place: JSONPointer
    /// As JSON; `nothing` where there is none.
    public let recorded: String
    public let now: String

    /// All places in which they differ, parents not counted.
    /// - Parameter ignored: pointers to what may differ, with all below; `*` stands for any one token.
    public static func between(
        _ recorded: JSON?, _ now: JSON?, ignoring ignored: [JSONPointer], at place: JSONPointer = JSONPointer()
    ) -> [JSONDifference] {
        guard !ignored.contains(where: { covers($0, place) }) else { return [] }
        var tokens: [String] = []
        switch (recorded?.kind, now?.kind) {
        case (.object, .object):
            for json in [recorded, now] {
                json?.forEachMember { key, _ in if !tokens.contains(key) { tokens.append(key) } }
            }
        case (.array, .array): tokens = (0..<max(recorded?.count ?? 0, now?.count ?? 0)).map(String.init)
        default:
            guard recorded?.text != now?.text else { return [] }
            return [JSONDifference(place: place, recorded: recorded?.text ?? "nothing", now: now?.text ?? "nothing")]
        }
        return tokens.flatMap { token in
            let child = JSONPointer(tokens: [token])
            return between(
                recorded?.resolve(pointer: child), now?.resolve(pointer: child), ignoring: ignored,
                at: place.appending(token))
        }
    }

    private static func covers(_ ignored: JSONPointer, _ place: JSONPointer) -> Bool {
        ignored.tokens.count == place.tokens.count
            && zip(ignored.tokens, place.tokens).allSatisfy { $0 == "*" || $0 == $1 }
    }
}
