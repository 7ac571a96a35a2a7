import Foundation

/// The forms of the texts that a pattern matches: one for each choice among its alternatives and optional parts, up to a
/// limit. The linter asks them whether a path can have such a form, and looks up paths that are made of them.
///
/// It reads the syntax that patterns of path configurations use. For another one, such as a reference back to a group,
/// there are no forms.
struct PatternForms {
    /// A part of a form.
    enum Part: Equatable {
        case text(Character)
        /// One of several characters: `.`, `\d` or a class, as written.
        case set(String)
        /// `^` and `$`.
        case start, end
    }

    typealias Form = [Part]

    private(set) var forms: [Form] = []
    private let pattern: [Character]
    private var index = 0
    private var isUnknown = false
    private static let mostForms = 64
    /// How many parts a form may have. Repetitions within repetitions multiply them.
    private static let mostParts = 4_096

    init(_ pattern: String) {
        self.pattern = Array(pattern)
        let forms = alternatives()
        if !isUnknown, index == self.pattern.count { self.forms = forms }
    }

    // MARK: Reading

    private mutating func alternatives() -> [Form] {
        var (done, current): ([Form], [Form]) = ([], [[]])
        while index < pattern.count, pattern[index] != ")" {
            if pattern[index] == "|" {
                index += 1
                done += current
                current = [[]]
            } else {
                let next = element()
                current = joined(current, next)
            }
        }
        return Array((done + current).prefix(PatternForms.mostForms))
    }

    /// Joins each form with each other one. If a form gets too long, the pattern has no forms.
    private mutating func joined(_ left: [Form], _ right: [Form]) -> [Form] {
        let longest = (left.map(\.count).max() ?? 0) + (right.map(\.count).max() ?? 0)
        guard longest <= PatternForms.mostParts else {
            isUnknown = true
            return [[]]
        }
        return Array(left.lazy.flatMap { first in right.lazy.map { first + $0 } }.prefix(PatternForms.mostForms))
    }

    /// Reads one element with its repetition.
    private mutating func element() -> [Form] {
        let once = atom()
        guard index < pattern.count else { return once }
        var forms: [Form]
        switch pattern[index] {
        case "*", "?": forms = once + [[]]
        case "+": forms = once
        case "{":
            let count = pattern[index...].dropFirst().prefix { $0.isNumber }
            while index < pattern.count, pattern[index] != "}" { index += 1 }
            let least = min(Int(String(count)) ?? 0, 8)
            forms = least == 0 ? once + [[]] : once
            for _ in 0..<max(0, least - 1) { forms = joined(forms, once) }
        default: return once
        }
        index += 1
        // It may be lazy or possessive.
        if index < pattern.count, "?+".contains(pattern[index]) { index += 1 }
        return forms
    }

    private mutating func atom() -> [Form] {
        let character = pattern[index]
        index += 1
        switch character {
        case "(": return group()
        case "[":
            let start = index - 1
            skipClass()
            return [[.set(String(pattern[start..<index]))]]
        case "\\": return escape()
        case ".": return [[.set(".")]]
        case "^": return [[.start]]
        case "$": return [[.end]]
        default: return [[.text(character)]]
        }
    }

    private mutating func group() -> [Form] {
        var isLookAround = false
        if index < pattern.count, pattern[index] == "?" {
            let start = index
            while index < pattern.count, !":=!>)".contains(pattern[index]) { index += 1 }
            let isEnd = index >= pattern.count || pattern[index] == ")"
            isLookAround = !isEnd && "=!".contains(pattern[index])
            if isEnd {
                // Flags for the rest, such as (?i).
                index = min(index + 1, pattern.count)
                return [[]]
            }
            if pattern[start..<index].contains("#") { isUnknown = true }
            index += 1
        }
        let forms = alternatives()
        index = min(index + 1, pattern.count)
        return isLookAround ? [[]] : forms
    }

    private mutating func escape() -> [Form] {
        guard index < pattern.count else { return [[]] }
        let character = pattern[index]
        index += 1
        switch character {
        case "d", "D", "w", "W", "s", "S": return [[.set("\\\(character)")]]
        case "A": return [[.start]]
        case "z", "Z": return [[.end]]
        case "b", "B", "G": return [[]]
        case _ where character.isLetter || character.isNumber:
            isUnknown = true
            return [[]]
        default: return [[.text(character)]]
        }
    }

    private mutating func skipClass() {
        var depth = 1
        while index < pattern.count, depth > 0 {
            switch pattern[index] {
            case "\\": index += 1
            case "[": depth += 1
            case "]": depth -= 1
            default: break
            }
            index += 1
        }
        index = min(index, pattern.count)
    }
}

extension PatternForms.Part {
    var takesCharacter: Bool { self != .start && self != .end }

    /// Whether the part can be one of these characters.
    func matches(anyOf characters: String) -> Bool {
        switch self {
        case .text(let character): return characters.contains(character)
        case .set(let set):
            let expression = try? NSRegularExpression(pattern: set)
            return expression?.firstMatch(in: characters, range: NSRange(characters.startIndex..., in: characters))
                != nil
        case .start, .end: return false
        }
    }

    /// The character of a text, or the first of these characters that a set has.
    func first(of characters: String) -> Character? {
        if case .text(let character) = self { return character }
        return characters.first { matches(anyOf: String($0)) }
    }
}

extension PatternForms {
    /// Paths that the forms match, with and without something before and after where the pattern allows it. They begin
    /// with a slash.
    var samples: [String] {
        var samples: [String] = []
        for form in forms.prefix(16) {
            let texts = ["a1", "1", "-", "q7"].compactMap { form.text(preferring: $0) }
            for (index, text) in texts.enumerated() where !texts[..<index].contains(text) {
                let starts = form.contains(.start) ? [""] : ["", text.hasPrefix("/") ? "/zz" : "/zz/"]
                let ends = form.contains(.end) ? [""] : ["", "/zz", "zz"]
                for start in starts {
                    for end in ends {
                        let sample = start + text + end
                        samples.append(sample.hasPrefix("/") ? sample : "/" + sample)
                    }
                }
            }
        }
        return samples
    }
}

extension PatternForms.Form {
    /// A text of this form.
    /// - Parameter preferred: the character for each place where several are possible.
    fileprivate func text(preferring preferred: String) -> String? {
        var text = ""
        for part in self where part.takesCharacter {
            guard let character = part.first(of: preferred + "a1-/_.~%=&?AZ") else { return nil }
            text.append(character)
        }
        return text
    }

    /// The text for people: `.` stands for itself, another set for the letter a.
    var rough: String {
        String(
            compactMap { part in
                switch part {
                case .text(let character): character
                case .set("."): "."
                case .set: "a"
                case .start, .end: nil
                }
            })
    }
}
