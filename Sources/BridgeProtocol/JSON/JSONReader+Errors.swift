extension JSONReader {
    /// Why the text could not be read, and the place.
    ///
    /// jansson's errors say more. But it would read the whole text once more, which blocks the loop for too long if the
    /// text is large.
    var error: JSONParseError {
        let cause = isUTF8 ? cause ?? (index < bytes.count ? .syntax : .prematureEnd) : .invalidUTF8
        let read = bytes[..<min(index, bytes.count)]
        let line = read.suffix(from: read.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
        return JSONParseError(
            message: message(for: cause), line: 1 + read.count { $0 == UInt8(ascii: "\n") },
            // A character has one byte that does not continue another one.
            column: line.count { $0 & 0xC0 != 0x80 }, offset: read.count, cause: cause)
    }

    private var isUTF8: Bool { JSONNode.string(bytes, isUTF8: false).map { $0.release() } != nil }

    private func message(for cause: JSONParseError.Cause) -> String {
        switch cause {
        case .syntax: "invalid syntax, or an invalid Unicode escape"
        case .prematureEnd: "the text ends before its value does"
        case .invalidUTF8: "the text is not UTF-8"
        case .tooDeep: "maximum parsing depth reached"
        case .nulInKey: "a key contains NUL, which jansson reads since version 2.14; this is \(JSON.libraryVersion)"
        case .tooManyValues, .numberTooLarge, .other: "not enough memory"
        }
    }
}
