/// The ids of records in the paths of one run, as another run of the same flow has them.
///
/// A flow that creates a record gets another id in each run: `/posts/7` here is `/posts/8` there. The first place where two
/// runs differ only in an id binds one id to the other. Ids that the flow itself names, and ids that both runs had at the
/// same place, are bound to themselves, so that another record on the screen stays a difference.
package struct RecordIDs {
    /// The other run's ids, by those of this one.
    private var bound: [String: String] = [:]
    private var taken: Set<String> = []

    /// - Parameter texts: the steps of the flow.
    package init(of texts: [String] = []) {
        for id in texts.flatMap({ RecordIDs.split($0).ids }) { bind(id, to: id) }
    }

    /// Whether both texts are the same, apart from ids that are bound to each other. Binds those that are not bound yet.
    package mutating func match(_ text: String, _ other: String) -> Bool {
        let (own, others) = (RecordIDs.split(text), RecordIDs.split(other))
        guard own.rest == others.rest else { return false }
        for (id, otherID) in zip(own.ids, others.ids) where !bind(id, to: otherID) { return false }
        return true
    }

    /// The text with the other run's ids.
    package func renamed(_ text: String) -> String {
        text.replacing(RecordIDs.pattern) { match in
            let id = RecordIDs.id(match)
            return bound[id] ?? id
        }
    }

    /// Binds two ids to each other.
    /// - Returns: whether neither is bound to another one.
    @discardableResult package mutating func bind(_ id: String, to other: String) -> Bool {
        if let known = bound[id] { return known == other }
        guard taken.insert(other).inserted else { return false }
        bound[id] = other
        return true
    }

    /// A number or a UUID as a whole part of a path, with the part before it.
    private nonisolated(unsafe) static let pattern =
        /([^\/\s"]*\/)(\d+|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})(?![^\/?#\s,"'\]})])/

    /// The id with the part of the path before it, because records of several kinds may have the same number.
    private static func id(_ match: Regex<(Substring, Substring, Substring)>.Match) -> String {
        String(match.1 + match.2)
    }

    /// The ids in a text, and the text with a mark in place of each.
    package static func split(_ text: String) -> (rest: String, ids: [String]) {
        let ids = text.matches(of: pattern).map(id)
        // A number and a UUID are never the same record's.
        let rest = text.replacing(pattern) { "\($0.1)\($0.2.contains("-") ? "UUID" : "number")" }
        return (rest, ids)
    }
}
