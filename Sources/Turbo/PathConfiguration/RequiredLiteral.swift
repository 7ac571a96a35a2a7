/// Text without which a pattern can't match: of `^/posts/\d+/edit$` it is `/posts/`. Looking for it first spares most
/// paths the regular expression, which costs many times as much.
struct RequiredLiteral: Sendable {
    /// The longest such text; empty where nothing is certain.
    private(set) var text: [UInt8] = []
    /// Whether the pattern is nothing but this text, so that finding it is the match.
    private(set) var isWholePattern = false

    /// - Parameter tellsCase: without it nothing is certain.
    init(of pattern: String, tellsCase: Bool) {
        // Flags and alternatives change what stands around them.
        guard tellsCase, !pattern.contains("|"), !pattern.contains("(?") else { return }
        var scanner = LiteralScanner(pattern: Array(pattern.utf8))
        text = scanner.longest()
        isWholePattern = !text.isEmpty && text.elementsEqual(pattern.utf8)
    }

    func mayOccur(in path: PathSubject) -> Bool {
        guard let first = text.first else { return true }
        guard path.utf8.count >= text.count else { return false }
        return path.utf8.withUnsafeBufferPointer { path in
            text.withUnsafeBufferPointer { text in
                (0...path.count - text.count).contains { start in
                    path[start] == first && (1..<text.count).allSatisfy { path[start + $0] == text[$0] }
                }
            }
        }
    }
}

/// Walks over a pattern and gathers what stands for itself. It gives up, with what it has, at whatever it does not know.
private struct LiteralScanner {
    let pattern: [UInt8]
    var index = 0
    var depth = 0
    var run: [UInt8] = []
    var best: [UInt8] = []

    init(pattern: [UInt8]) { self.pattern = pattern }

    mutating func longest() -> [UInt8] {
        while index < pattern.count, step() {}
        endRun()
        return best
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
        default:
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            index += 1
        }
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
