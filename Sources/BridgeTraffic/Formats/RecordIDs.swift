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
        RecordIDs.replacing(in: text) { part in
            let id = String(text[part.prefix] + text[part.id])
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

    /// A number or a UUID that is a whole part of a path.
    private struct Part {
        /// The part before it, because records of several kinds may have the same number: `posts/` of `/posts/7`.
        let prefix: Range<String.Index>
        let id: Range<String.Index>
    }

    /// The ids in a text. The time is proportional to its length: a body may have megabytes without a slash.
    private static func parts(of text: String) -> [Part] {
        let bytes = text.utf8
        var parts: [Part] = []
        var start = bytes.startIndex
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            bytes.formIndex(after: &index)
            if byte == UInt8(ascii: "/") {
                let id = bytes[index...].prefix(longestID + 1).prefix { !ends.contains($0) }
                if id.count <= longestID, isID(text[id.startIndex..<id.endIndex]) {
                    parts.append(Part(prefix: start..<index, id: id.startIndex..<id.endIndex))
                    index = id.endIndex
                }
                start = index
            } else if separators.contains(byte) {
                start = index
            }
        }
        return parts
    }

    private static let longestID = 36
    /// What may follow an id.
    private static let ends = Set("/?# \t\n\r,\"'])}".utf8)
    /// What ends the part of a path before an id.
    private static let separators = Set(" \t\n\r\"".utf8)

    private static func isID(_ text: Substring) -> Bool {
        text.wholeMatch(of: /\d+|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}/) != nil
    }

    private static func replacing(in text: String, _ replacement: (Part) -> String) -> String {
        var result = ""
        var end = text.startIndex
        for part in parts(of: text) {
            result += text[end..<part.prefix.lowerBound] + replacement(part)
            end = part.id.upperBound
        }
        return result + text[end...]
    }

    /// The ids in a text, and the text with a mark in place of each.
    package static func split(_ text: String) -> (rest: String, ids: [String]) {
        var ids: [String] = []
        let rest = replacing(in: text) { part in
            let id = text[part.id]
            ids.append(String(text[part.prefix] + id))
            // A number and a UUID are never the same record's.
            return text[part.prefix] + (id.contains("-") ? "UUID" : "number")
        }
        return (rest, ids)
    }
}
