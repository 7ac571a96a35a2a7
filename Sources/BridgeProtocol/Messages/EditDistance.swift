/// Finds what somebody probably meant to write.
public enum EditDistance {
    /// The candidate that takes the fewest edits, where they are few enough for a slip of the keys: up to a third of
    /// the name. Upper and lower case count as the same. `nil` for names beyond 64 characters, which nobody types.
    public static func nearest(to name: String, in candidates: [String]) -> String? {
        guard name.utf8.count <= 64 else { return nil }
        let word = Array(name.lowercased())
        let ranked = candidates.map { (name: $0, edits: edits(word, Array($0.lowercased()))) }
        guard let best = ranked.min(by: { $0.edits < $1.edits }), best.edits <= max(1, word.count / 3) else {
            return nil
        }
        return best.name
    }

    /// Levenshtein: insertions, deletions and substitutions of one character.
    private static func edits(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let substitution = diagonal + (right[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substitution, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[right.count]
    }
}
