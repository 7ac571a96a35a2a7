extension UnsafeRawBufferPointer {
    private static let pieceBytes = 64 << 10

    /// Whether the bytes are well-formed UTF-8 (RFC 3629).
    ///
    /// It looks at one piece after the other. A `String` of the whole text would take as much memory as the text, and most
    /// of the time goes into memory that the process does not have yet: 30 ms for 15 MiB, instead of 2.
    package var isUTF8: Bool {
        var start = 0
        while start < count {
            let end = endOfPiece(from: start)
            guard String(validating: UnsafeRawBufferPointer(rebasing: self[start..<end]), as: UTF8.self) != nil else {
                return false
            }
            start = end
        }
        return true
    }

    /// The end of a piece that does not end within a character. A character has up to three bytes that continue it.
    private func endOfPiece(from start: Int) -> Int {
        let end = Swift.min(start + UnsafeRawBufferPointer.pieceBytes, count)
        guard end < count else { return count }
        return (end - 3...end).reversed().first { self[$0] & 0xC0 != 0x80 } ?? end
    }
}
