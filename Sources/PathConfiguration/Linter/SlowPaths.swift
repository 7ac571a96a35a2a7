/// Paths for which a pattern may take long: each repetition in it repeated many times, and then something that does not
/// match, so that a search tries every way to divide the path among the repetitions.
///
/// It reads patterns only roughly. A path that is no good costs nothing but time.
struct SlowPaths {
    /// The length of the paths. Shorter ones would not show that the time grows with the third power of the length.
    private static let length = 400
    /// Repetitions of repetitions take twice as long with each round, so a few characters show it. These paths also fit
    /// patterns that end with something long.
    private static let shortLength = 60

    private(set) var paths: [String] = []
    private let pattern: [Character]
    private var index = 0

    init(_ pattern: String) {
        self.pattern = Array(pattern)
        _ = alternatives(after: "")
        for unit in ["a", "1", "/", "/a", "-", "a/"] { add(unit, after: "/") }
    }

    private mutating func add(_ unit: String, after prefix: String) {
        guard !unit.isEmpty, paths.count < 100 else { return }
        for length in [SlowPaths.shortLength, SlowPaths.length] {
            let repeated = String(repeating: unit, count: max(1, length / unit.count))
            // Few classes contain "!", and few patterns match an empty segment.
            paths.append("\(prefix)\(repeated)!")
            paths.append("\(prefix)\(repeated)!//?")
        }
    }

    /// Reads alternatives up to a `)` or the end.
    /// - Returns: a text for each alternative that it matches.
    private mutating func alternatives(after prefix: String) -> [String] {
        var texts = [""]
        while index < pattern.count, pattern[index] != ")" {
            if pattern[index] == "|" {
                index += 1
                texts.append("")
                continue
            }
            let text = texts.removeLast()
            texts.append(text + element(after: prefix + text))
        }
        return texts
    }

    /// Reads one element with its repetition.
    /// - Returns: a text that it matches once.
    private mutating func element(after prefix: String) -> String {
        let units = atom(after: prefix)
        var isRepeated = false
        while index < pattern.count, "*+?{".contains(pattern[index]) {
            isRepeated = isRepeated || pattern[index] != "?"
            if pattern[index] == "{" {
                while index < pattern.count, pattern[index] != "}" { index += 1 }
            }
            index += 1
        }
        if isRepeated {
            for unit in units { add(unit, after: prefix) }
            if units.count > 1 { add(units.joined(), after: prefix) }
        }
        return units.first ?? ""
    }

    /// - Returns: texts that the element matches without its repetition.
    private mutating func atom(after prefix: String) -> [String] {
        let character = pattern[index]
        index += 1
        switch character {
        case "(":
            skipGroupStart()
            let units = alternatives(after: prefix)
            if index < pattern.count { index += 1 }
            return units
        case "[": return [characterClass()]
        case "\\":
            guard index < pattern.count else { return [""] }
            let escaped = pattern[index]
            index += 1
            let classes: [Character: String] = [
                "d": "1", "w": "a", "s": " ", "D": "a", "S": "a", "W": "-", "X": "a", "b": "", "B": "", "A": "",
                "z": "", "Z": "", "G": "",
            ]
            return [classes[escaped] ?? String(escaped)]
        case ".": return ["a"]
        case "^", "$": return [""]
        default: return [String(character)]
        }
    }

    /// Skips what may follow a `(`: `?:`, `?=`, `?<name>` and their like.
    private mutating func skipGroupStart() {
        guard index < pattern.count, pattern[index] == "?" else { return }
        while index < pattern.count, !":=!>)".contains(pattern[index]) { index += 1 }
        if index < pattern.count, pattern[index] != ")" { index += 1 }
    }

    /// Reads a class up to its `]`.
    /// - Returns: a character in it.
    private mutating func characterClass() -> String {
        let isNegated = index < pattern.count && pattern[index] == "^"
        if isNegated { index += 1 }
        var members: [Character] = []
        var depth = 1
        while index < pattern.count {
            let character = pattern[index]
            index += 1
            if character == "[" { depth += 1 }
            if character == "]" { depth -= 1 }
            if depth == 0 { break }
            if character == "\\", index < pattern.count {
                members.append(["d": "1", "w": "a", "s": " "][pattern[index]] ?? pattern[index])
                index += 1
            } else {
                members.append(character)
            }
        }
        let candidates: [Character] = isNegated ? ["a", "1", "/", "-", "z"].filter { !members.contains($0) } : members
        return candidates.first.map { String($0) } ?? "a"
    }
}
