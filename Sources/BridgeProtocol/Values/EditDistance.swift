/// Finds the name that somebody probably meant to write.
public enum EditDistance {
    /// Returns the candidate that is the fewest edits away from `name`, ignoring case.
    ///
    /// Returns `nil` if more than a third of the name would have to change, or if the name has more than 64 bytes: no
    /// typing mistake is as long.
    public static func nearest(to name: String, in candidates: [String]) -> String? {
        guard name.utf8.count <= 64 else { return nil }
        // Comparing bytes instead of characters is ten times as fast, and a page can send a thousand such names at once.
        let word = Array(name.lowercased().utf8)
        let most = max(1, word.count / 3)
        // Each byte by which the lengths differ is an edit, and a candidate may have millions of them.
        let ranked = candidates.filter { abs($0.utf8.count - word.count) <= most }
            .map { (name: $0, edits: edits(word, Array($0.lowercased().utf8))) }
        guard let best = ranked.min(by: { $0.edits < $1.edits }), best.edits <= most else { return nil }
        return best.name
    }

    /// Counts insertions, deletions, substitutions of one byte, and swaps of two neighbours (optimal string
    /// alignment).
    private static func edits(_ left: [UInt8], _ right: [UInt8]) -> Int {
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
