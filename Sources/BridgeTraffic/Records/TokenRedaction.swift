/// Removes the daemon's tokens from text, wherever they appear in it.
///
/// Every record is searched. The search (Horspool's) looks at about one byte in twenty.
struct TokenRedaction: Sendable {
    private let tokens: [String]
    private let needles: [[UInt8]]
    private let length: Int
    /// How far the search moves on, by the last byte of the part that it looks at; 0 if that byte ends a token.
    private let shifts: [Int]

    /// - Parameter tokens: ASCII texts.
    init(_ tokens: [String]) {
        self.tokens = tokens
        needles = tokens.map { Array($0.utf8) }
        let length = needles.map(\.count).min() ?? 0
        self.length = length
        var shifts = [Int](repeating: max(1, length), count: 256)
        for needle in needles {
            for (index, byte) in needle.prefix(length).enumerated() {
                shifts[Int(byte)] = min(shifts[Int(byte)], length - 1 - index)
            }
        }
        self.shifts = shifts
    }

    /// Whether one of the tokens is in a line.
    func appear(in line: [UInt8]) -> Bool {
        guard length > 0 else { return false }
        return line.withUnsafeBufferPointer { line in
            shifts.withUnsafeBufferPointer { shifts in
                var end = length - 1
                while end < line.count {
                    let shift = shifts[Int(line[end])]
                    if shift == 0, isToken(line[(end - length + 1)...]) { return true }
                    end += max(1, shift)
                }
                return false
            }
        }
    }

    func removed(from text: String) -> String {
        guard appear(in: Array(text.utf8)) else { return text }
        return tokens.reduce(text) { $0.replacing($1, with: "[redacted]") }
    }

    private func isToken(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        needles.contains { rest.starts(with: $0) }
    }
}
