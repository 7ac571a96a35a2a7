/// A pattern that is not a valid regular expression, and the place of the mistake.
///
/// Foundation reports only that ICU rejects a pattern. This type finds the place and the reason of the mistakes that
/// people make most often.
public struct InvalidPattern: Error, Equatable, Sendable, CustomStringConvertible {
    public let pattern: String
    /// The place of the mistake, in characters from the start of the pattern.
    public let offset: Int
    public let reason: String
    public let fix: String

    /// - Parameter pattern: A pattern that ICU has rejected.
    public init(_ pattern: String) {
        (offset, reason, fix) = InvalidPattern.mistake(in: Array(pattern))
        self.pattern = pattern
    }

    private init(_ pattern: String, _ mistake: Mistake) {
        self.pattern = pattern
        (offset, reason, fix) = mistake
    }

    /// A pattern of more than ``PathPattern/maximumLength``. Only its beginning is kept.
    static func tooLong(_ pattern: String) -> InvalidPattern {
        let limit = PathPattern.maximumLength
        return InvalidPattern(
            "\(pattern.prefix(40))…", (0, "it has more than \(limit) characters", "Make it several patterns."))
    }

    public var description: String { "\"\(pattern)\" is not a valid regular expression: \(reason). \(fix)" }

    private typealias Mistake = (offset: Int, reason: String, fix: String)

    private static func mistake(in pattern: [Character]) -> Mistake {
        if pattern.isEmpty { return (0, "it is empty", "Write \".*\" to match every path.") }
        var open: [Int] = []
        var index = 0
        while index < pattern.count {
            switch pattern[index] {
            case "\\":
                index += 1
                if index == pattern.count {
                    return (
                        index - 1, "it ends with a backslash",
                        "Write two backslashes to match one (four in JSON)."
                    )
                }
            case "[":
                guard let end = endOfClass(pattern, from: index) else {
                    return (index, "this [ is never closed", "Close it with ], or write \\\\[ to match a [.")
                }
                index = end
            case "(": open.append(index)
            case ")":
                if open.popLast() == nil {
                    return (index, "this ) has no matching (", "Remove it, or write \\\\) to match a ).")
                }
            case "*", "+", "?":
                if let mistake = repetitionOfNothing(pattern, at: index) { return mistake }
            case "{":
                guard let end = endOfCount(pattern, from: index) else {
                    return (
                        index, "{ must begin a count such as {2,3}",
                        "Write [^/]+ to match any one segment, or \\\\{ to match a {."
                    )
                }
                index = end
            case "}": return (index, "this } has no matching {", "Write \\\\} to match a }.")
            default: break
            }
            index += 1
        }
        if let last = open.last {
            return (last, "this ( is never closed", "Close it with ), or write \\\\( to match a (.")
        }
        return (0, "ICU rejects it", "See the documentation of NSRegularExpression for the syntax.")
    }

    private static func repetitionOfNothing(_ pattern: [Character], at index: Int) -> Mistake? {
        let before = index == 0 ? nil : pattern[index - 1]
        let sign = pattern[index]
        guard before == nil || before == "|" || (before == "(" && sign != "?") else { return nil }
        return (
            index, "there is nothing before this \(sign) to repeat",
            "Write .\(sign) to match any characters, or \\\\\(sign) to match a \(sign)."
        )
    }

    /// The index of the `]` that closes the class.
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

    /// The index of the `}` that closes `{2}`, `{2,}` or `{2,3}`.
    private static func endOfCount(_ pattern: [Character], from start: Int) -> Int? {
        guard let end = pattern[start...].firstIndex(of: "}") else { return nil }
        // Braces also follow a letter with a backslash: \p{L}, \x{41}, \N{DOT}.
        if start >= 2, pattern[start - 2] == "\\" { return end }
        let counts = pattern[(start + 1)..<end].split(separator: ",", omittingEmptySubsequences: false)
        guard start > 0, (1...2).contains(counts.count), let least = Int(String(counts[0])) else { return nil }
        guard counts.count == 2, !counts[1].isEmpty else { return end }
        guard let most = Int(String(counts[1])), most >= least else { return nil }
        return end
    }
}
