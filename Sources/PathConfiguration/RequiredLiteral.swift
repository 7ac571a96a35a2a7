/// Text without which a pattern can't match: of `^/posts/\d+/edit$` it is `/posts/`. Looking for it first spares most
/// paths the regular expression, which costs many times as much.
struct RequiredLiteral: Sendable {
    /// The longest such text; empty where nothing is certain.
    private(set) var text: [UInt8] = []
    /// Whether the pattern is nothing but this text, so that finding it is the match.
    private(set) var isWholePattern = false
    private(set) var pairs = BytePairs()

    /// - Parameter tellsCase: without it nothing is certain.
    init(of pattern: String, tellsCase: Bool) {
        guard tellsCase else { return }
        var scanner = LiteralScanner(pattern: Array(pattern.utf8))
        text = scanner.longest()
        pairs = BytePairs(in: text)
        isWholePattern = !text.isEmpty && text.elementsEqual(pattern.utf8)
    }

    /// Where it stands first in the path, in bytes; nil where it does not.
    func firstOccurrence(in path: PathSubject) -> Range<Int>? {
        guard path.pairs.contains(pairs), path.utf8.count >= text.count else { return nil }
        guard let first = text.first else { return 0..<0 }
        let start = path.utf8.withUnsafeBufferPointer { path in
            text.withUnsafeBufferPointer { text in
                (0...path.count - text.count).first { start in
                    path[start] == first && (1..<text.count).allSatisfy { path[start + $0] == text[$0] }
                }
            }
        }
        return start.map { $0..<$0 + text.count }
    }
}

/// Which pairs of neighbouring bytes a text has, folded into 64 bits: a text that lacks a pair of another's can't
/// contain it. Most patterns are told apart from most paths by this alone.
struct BytePairs: Sendable {
    private var bits: UInt64 = 0

    init(in text: [UInt8] = []) {
        for (byte, next) in zip(text, text.dropFirst()) {
            bits |= 1 << ((UInt64(byte) &* 31 &+ UInt64(next)) & 63)
        }
    }

    func contains(_ others: BytePairs) -> Bool { others.bits & ~bits == 0 }
}

/// Walks over a pattern and gathers what stands for itself. It gives up, with what it has, at whatever it does not know.
private struct LiteralScanner {
    let pattern: [UInt8]
    var index = 0
    var depth = 0
    var run: [UInt8] = []
    var best: [UInt8] = []
    /// Outside of groups: then either side will do.
    var hasAlternatives = false

    init(pattern: [UInt8]) { self.pattern = pattern }

    mutating func longest() -> [UInt8] {
        while index < pattern.count {
            // An alternative may stand in what is not understood, and then what was before is not needed.
            guard step() else { return pattern.contains(UInt8(ascii: "|")) ? [] : best }
        }
        endRun()
        return hasAlternatives ? [] : best
    }

    private mutating func endRun() {
        if run.count > best.count { best = run }
        run = []
    }

    /// - Returns: whether what follows can still be told.
    private mutating func step() -> Bool {
        let byte = pattern[index]
        let next = index + 1 < pattern.count ? pattern[index + 1] : 0
        if depth == 0, isPlain(byte), !"?*{".utf8.contains(next) {
            run.append(byte)
            // One or more of it: what follows does not stand right behind the first.
            if next == UInt8(ascii: "+") { endRun() }
            index += 1
            return true
        }
        endRun()
        switch byte {
        case UInt8(ascii: "\\"):
            // Some escapes take more than one character: \x41, \Q…\E.
            guard !isWordCharacter(next) || "dDwWsSbB".utf8.contains(next) else { return false }
            index += 2
        case UInt8(ascii: "["): return skipClass()
        case UInt8(ascii: "{"): return skip(to: "}")
        case UInt8(ascii: "("): return openGroup(next)
        case UInt8(ascii: ")"):
            depth -= 1
            index += 1
        case UInt8(ascii: "|"):
            if depth == 0 { hasAlternatives = true }
            index += 1
        default: index += 1
        }
        return true
    }

    /// Flags, as in `(?i)`, change what follows, and a comment holds anything.
    private mutating func openGroup(_ next: UInt8) -> Bool {
        let kind = index + 2 < pattern.count ? pattern[index + 2] : 0
        guard next != UInt8(ascii: "?") || ":=!<>".utf8.contains(kind) else {
            best = []
            return false
        }
        depth += 1
        index += 1
        return true
    }

    /// Classes with classes or escapes in them are not looked into.
    private mutating func skipClass() -> Bool {
        let start = index + 1
        guard skip(to: "]") else { return false }
        let inside = pattern[start..<index - 1]
        return !inside.isEmpty && inside.first != UInt8(ascii: "^")
            && !inside.contains(UInt8(ascii: "[")) && !inside.contains(UInt8(ascii: "\\"))
    }

    private mutating func skip(to end: Unicode.Scalar) -> Bool {
        guard let end = pattern[index...].firstIndex(of: UInt8(ascii: end)) else { return false }
        index = end + 1
        return true
    }

    private func isWordCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// What always stands for itself.
    private func isPlain(_ byte: UInt8) -> Bool { isWordCharacter(byte) || "/-=&%".utf8.contains(byte) }
}
