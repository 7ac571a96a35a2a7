/// Removes the daemon's tokens from text, wherever they appear in it. Every record is searched.
struct TokenRedaction: Sendable {
    private let tokens: [String]
    private let search: ByteSearch

    /// - Parameter tokens: ASCII texts.
    init(_ tokens: [String]) {
        self.tokens = tokens
        search = ByteSearch(tokens.map { Array($0.utf8) })
    }

    /// Whether one of the tokens is in a line.
    func appear(in line: [UInt8]) -> Bool { line.withUnsafeBufferPointer(search.matches) }

    func removed(from text: String) -> String {
        guard appear(in: Array(text.utf8)) else { return text }
        return tokens.reduce(text) { $0.replacing($1, with: "[redacted]") }
    }
}
