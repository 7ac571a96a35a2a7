/// A pattern that is no regular expression, and where it goes wrong.
///
/// ICU as Foundation offers it says only that a pattern is bad; the place and the reason are our own, for the mistakes
/// that people make.
public struct InvalidPattern: Error, Equatable, Sendable, CustomStringConvertible {
    public let pattern: String
    /// In characters from the start of the pattern.
    public let offset: Int
    public let reason: String
    public let fix: String

    public init(_ pattern: String) {
        let mistake = PatternMistake.find(in: Array(pattern))
        self.pattern = pattern
        offset = mistake.offset
        reason = mistake.reason
        fix = mistake.fix
    }

    public var description: String { "\"\(pattern)\" is no regular expression: \(reason). \(fix)" }
}

/// Where a pattern that was refused goes wrong.
struct PatternMistake {
    let offset: Int
    let reason: String
    let fix: String

    static func find(in pattern: [Character]) -> PatternMistake {
        guard !pattern.isEmpty else {
            return PatternMistake(
                offset: 0, reason: "it is empty", fix: "Write \".*\" for every path.")
        }
        var open: [Int] = []
        var index = 0
        while index < pattern.count {
            switch pattern[index] {
            case "\\":
                guard index + 1 < pattern.count else {
                    return PatternMistake(
                        offset: index, reason: "it ends in a backslash",
                        fix: "Write two for a backslash (four in JSON).")
                }
                index += 1
            case "[":
                guard let end = endOfClass(pattern, from: index) else {
                    return PatternMistake(
                        offset: index, reason: "this [ is never closed",
                        fix: "Close it with ], or write \\\\[ for the character.")
                }
                index = end
            case "(": open.append(index)
            case ")":
                guard open.popLast() != nil else {
                    return PatternMistake(
                        offset: index, reason: "this ) closes nothing",
                        fix: "Remove it, or write \\\\) for the character.")
                }
            case "*", "+", "?":
                if let mistake = repetition(pattern, at: index) { return mistake }
            case "{":
                guard let end = endOfCount(pattern, from: index) else {
                    return PatternMistake(
                        offset: index, reason: "{ begins a count such as {2,3}",
                        fix: "Write [^/]+ for a segment of any name, or \\\\{ for the character.")
                }
                index = end
            case "}":
                return PatternMistake(
                    offset: index, reason: "this } closes nothing", fix: "Write \\\\} for the character.")
            default: break
            }
            index += 1
        }
        if let last = open.last {
            return PatternMistake(
                offset: last, reason: "this ( is never closed",
                fix: "Close it with ), or write \\\\( for the character.")
        }
        return PatternMistake(
            offset: 0, reason: "ICU refuses it", fix: "See the syntax of NSRegularExpression.")
    }

    private static func repetition(_ pattern: [Character], at index: Int) -> PatternMistake? {
        let before = index == 0 ? nil : pattern[index - 1]
        guard before == nil || before == "|" || (before == "(" && pattern[index] != "?") else { return nil }
        return PatternMistake(
            offset: index, reason: "there is nothing before this \(pattern[index]) to repeat",
            fix: "Write .\(pattern[index]) for any characters, or \\\\\(pattern[index]) for the character.")
    }

    /// The place of the `]` that closes the class.
    private static func endOfClass(_ pattern: [Character], from start: Int) -> Int? {
        var index = start + 1
        var depth = 1
        while index < pattern.count {
            switch pattern[index] {
            case "\\": index += 1
            case "[": depth += 1
            case "]":
                depth -= 1
                if depth == 0 { return index }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The place of the `}` of `{2}`, `{2,}` or `{2,3}`.
    private static func endOfCount(_ pattern: [Character], from start: Int) -> Int? {
        guard let end = pattern[start...].firstIndex(of: "}") else { return nil }
        // As in \p{L}, \x{41}, \N{DOT}.
        if start >= 2, pattern[start - 2] == "\\" { return end }
        let counts = pattern[(start + 1)..<end].split(separator: ",", omittingEmptySubsequences: false)
        guard start > 0, (1...2).contains(counts.count), let least = Int(String(counts[0])) else { return nil }
        guard counts.count == 2, !counts[1].isEmpty else { return end }
        guard let most = Int(String(counts[1])), most >= least else { return nil }
        return end
    }
}
