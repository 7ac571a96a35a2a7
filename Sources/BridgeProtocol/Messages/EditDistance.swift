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

    /// Insertions, deletions, substitutions of one character, and swaps of two neighbours (optimal string alignment).
    private static func edits(_ left: [Character], _ right: [Character]) -> Int {
        var rows = [Array(0...right.count)]
        for (index, character) in left.enumerated() {
            var row = [index + 1]
            for column in right.indices {
                let substitution = rows[index][column] + (right[column] == character ? 0 : 1)
                var best = min(substitution, rows[index][column + 1] + 1, row[column] + 1)
                if index > 0, column > 0, character == right[column - 1], left[index - 1] == right[column] {
                    best = min(best, rows[index - 1][column - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
